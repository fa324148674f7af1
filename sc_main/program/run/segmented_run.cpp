#include "sc_main/program/run/segmented_run.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "sc_main/program/run/sample_report.hpp"
#include "sc_main/program/run/segment_folder.hpp"
#include "sc_main/program/run/segment_pass.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

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

// Bound on the error whose samples these are: the absolute mean plus half of its confidence interval.
double bound(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  if (values.size() < 2) return std::abs(mean);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t distribution(n - 1);
  return std::abs(mean) + boost::math::quantile(distribution, 0.5 + kConfidence / 2) * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

// Relative difference between the end of a warm-up and the same requests at the end of the previous segment, which have
// a full history: the part of the transient that is left after the warm-up.
struct SegmentedRun::Seam {
  double pace;
  double latency;
};

std::vector<SegmentedRun::Seam> SegmentedRun::seams() const {
  std::vector<Seam> seams;
  for (std::size_t segment = 1; segment < answers_.size(); ++segment) {
    const WindowPart& here = answers_[segment].parts[SegmentPlan::kEndOfWarmUp];
    const WindowPart& before = answers_[segment - 1].parts[SegmentPlan::kEndOfSegment];
    seams.push_back({relative(here.pace(), before.pace()), relative(mean_latency(here), mean_latency(before))});
  }
  return seams;
}

bool SegmentedRun::run(Workload& workload, std::uint64_t requests, RunPass::Progress progress) {
  if (folder_ != nullptr) {
    plan_ = folder_->plan();
    for (std::size_t segment = 0; segment < plan_->segments(); ++segment)
      answers_.push_back(folder_->read_answer(segment));
    return true;
  }
  const std::unique_ptr<RunPass> made = make_run_pass(config_, simulation_, workload, std::move(progress));
  RunPass& pass = *made;
  plan_.emplace(plan_segments(pass, requests, segments_));
  if (!plan_->worth_while()) return false;
  pass.prepare();
  std::vector<std::size_t> children;
  for (std::size_t segment = 0; segment < plan_->segments(); ++segment) {
    go_to_segment(pass, *plan_, segment);
    children.push_back(pass.fork_window(segment_shape(*plan_, segment, pass.at())));
  }
  go_to_end(pass, *plan_);
  for (std::size_t segment = 0; segment < children.size(); ++segment)
    answers_.push_back(pass.take(children[segment], segment_name(segment, children.size())));
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
  if (answers_.empty()) return;  // one process has simulated the whole run
  std::vector<WindowResult> segments;
  for (const WindowAnswer& segment : answers_) segments.push_back({1, segment.result});
  put_merged(segments, result);
  Json& json = result["segments"] = {{"segments", segments_},
                                     {"requests", plan_->lengths()},
                                     {"warm_up", plan_->warm_up()},
                                     {"confidence", kConfidence},
                                     {"seams", Json::array()}};
  std::vector<double> paces;
  std::vector<double> latencies;
  for (const Seam& seam : seams()) {
    json["seams"].push_back({{"pace", seam.pace}, {"latency_mean", seam.latency}});
    paces.push_back(seam.pace);
    latencies.push_back(seam.latency);
  }
  // The rest of the transient is taken to last for about another warm-up of each segment.
  const double share = static_cast<double>(plan_->warm_up() * segments_) / static_cast<double>(plan_->requests());
  const bool writes = std::any_of(answers_.begin(), answers_.end(),
                                  [](const WindowAnswer& one) { return ssd_written_bytes(one.result) != 0; });
  const double slow = !writes ? 0 : simulation_.tier() != nullptr ? kSlowTier : kSlow;
  json["error"] = {{"simulated_s", bound(paces) * share + slow}, {"latency_mean", bound(latencies) * share + slow}};
}

}  // namespace flashloom
