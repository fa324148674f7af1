#include "sc_main/run/segmented_run.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "sc_main/run/sample_report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

// A segment is seen in parts: the warm-up but its end, its end, the segment but its end, its end.
constexpr std::size_t kEndOfWarmUp = 1;
constexpr std::size_t kEndOfSegment = 3;
constexpr std::uint64_t kEnd = 8;  // an end is the last one of so many requests of a warm-up

double mean_latency(const WindowPart& part) {
  double sum = 0;
  double count = 0;
  for (const WindowPart::Latencies& latencies : part.latencies) {
    sum += latencies.mean() * static_cast<double>(latencies.count());
    count += static_cast<double>(latencies.count());
  }
  return count == 0 ? 0 : sum / count;
}

double relative(double value, double reference) { return reference == 0 ? 0 : value / reference - 1; }

// By how much a mean may be wrong whose samples these are: its own value, and what it may differ by.
double bound(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  if (values.size() < 2) return std::abs(mean);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t distribution(n - 1);
  return std::abs(mean) +
         boost::math::quantile(distribution, 0.5 + kConfidence / 2) * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

// The end of a warm-up, and the same requests as the segment before has simulated them, with a history behind it: how
// much they differ is what the warm-up has not reached.
struct SegmentedRun::Seam {
  double pace;
  double latency;
};

std::vector<SegmentedRun::Seam> SegmentedRun::seams() const {
  std::vector<Seam> seams;
  for (std::size_t segment = 1; segment < answers_.size(); ++segment) {
    const WindowPart& here = answers_[segment].parts[kEndOfWarmUp];
    const WindowPart& before = answers_[segment - 1].parts[kEndOfSegment];
    seams.push_back({relative(here.pace(), before.pace()), relative(mean_latency(here), mean_latency(before))});
  }
  return seams;
}

bool SegmentedRun::run(std::vector<HostJob>& jobs, std::uint64_t requests, RunPass::Progress progress) {
  const std::unique_ptr<RunPass> made = make_run_pass(config_, simulation_, jobs, std::move(progress));
  RunPass& pass = *made;
  warm_up_ = std::max(pass.relaxation(), kEnd);
  length_ = requests / segments_;
  if (length_ < 2 * warm_up_) return false;
  pass.prepare();
  std::vector<std::size_t> children;
  for (std::uint64_t segment = 0; segment < segments_; ++segment) {
    const std::uint64_t begin = segment * length_;
    if (segment != 0) pass.carry_out_to(begin - warm_up_);
    const std::uint64_t warm_up = begin - pass.at();
    const std::uint64_t length = (segment + 1 == segments_ ? requests - begin : length_) + warm_up;
    const std::uint64_t end = warm_up_ / kEnd;
    children.push_back(pass.fork_window({.warm_up = warm_up,
                                         .length = length,
                                         .parts = {warm_up - std::min(warm_up, end), warm_up, length - end, length,
                                                   length}}));
    // Where the jobs end at different times, their shares are those of what was seen last.
    if (jobs.size() > 1) {
      answers_.push_back(pass.take(children.back()));
      pass.share_as_in(answers_.back());
    }
  }
  pass.carry_out_to(requests);
  for (std::size_t segment = answers_.size(); segment < children.size(); ++segment)
    answers_.push_back(pass.take(children[segment]));
  return true;
}

std::vector<HostStatistics> SegmentedRun::job_statistics() const {
  std::vector<HostStatistics> jobs(answers_.front().jobs.size());
  for (const WindowAnswer& segment : answers_)
    for (std::size_t job = 0; job < jobs.size(); ++job) jobs[job].append(segment.jobs[job], 1);
  return jobs;
}

void SegmentedRun::complete(Json& result) const {
  result["segments"] = nullptr;
  if (answers_.empty()) return;  // all of it was simulated by one process
  std::vector<WindowResult> segments;
  for (const WindowAnswer& segment : answers_) segments.push_back({1, segment.result});
  put_merged(segments, result);
  Json& json = result["segments"] = {{"segments", segments_},
                                     {"requests", length_},
                                     {"warm_up", warm_up_},
                                     {"confidence", kConfidence},
                                     {"seams", Json::array()}};
  std::vector<double> paces;
  std::vector<double> latencies;
  for (const Seam& seam : seams()) {
    json["seams"].push_back({{"pace", seam.pace}, {"latency_mean", seam.latency}});
    paces.push_back(seam.pace);
    latencies.push_back(seam.latency);
  }
  // What is left of the transient decays as fast as it has so far: over about another warm-up.
  const double share = static_cast<double>(warm_up_) / static_cast<double>(length_);
  json["error"] = {{"simulated_s", bound(paces) * share}, {"latency_mean", bound(latencies) * share}};
}

}  // namespace flashloom
