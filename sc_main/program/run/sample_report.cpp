#include "sc_main/program/run/sample_report.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "sc_main/assembly/report/report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const Interval& interval, double scale = 1) {
  if (!interval.bounded) return nullptr;
  return {{"low", std::max(0.0, interval.low * scale)}, {"high", interval.high * scale}};
}

double requests_of(const WindowAnswer& window) { return static_cast<double>(window.requests); }
double seconds_of(const WindowAnswer& window) { return seconds(window.time); }
double joules_of(const WindowAnswer& window) { return window.result["energy"]["total_j"].get<double>(); }
double written_by(const WindowAnswer& window) { return ssd_written_bytes(window.result); }
double moved_by(const WindowAnswer& window) { return moved_bytes(window.result["window"]) / 1e9; }
double joules_of_kind(const WindowAnswer& window, const std::string& kind) {
  double joules = 0;
  for (const Json& component : window.result["energy"]["components"])
    if (component["kind"] == kind) joules += component["j"].get<double>();
  return joules;
}

HostStatistics::Operation sum_of_jobs(const WindowAnswer& window, std::size_t operation) {
  HostStatistics::Operation sum;
  for (const HostStatistics& job : window.jobs) {
    const HostStatistics::Operation& of = job.operations[operation];
    sum.ios += of.ios;
    sum.bytes += of.bytes;
    sum.latency += of.latency;
  }
  return sum;
}

}  // namespace

void put_merged(const std::vector<WindowResult>& windows, Json& result) {
  Json merged = merge_results(windows);
  // Keep the result's own state at the end of the run, and the namespaces' figures, which are sums over jobs.
  for (const char* const own : {"wear", "power", "tier", "hdd"}) merged.erase(own);
  merged["host_interface"]["namespaces"] = result["host_interface"]["namespaces"];
  result.update(merged);
}

template <class Over, class Under>
Interval SampleReport::ratio(Over&& over, Under&& under) const {
  std::vector<Calibration::Sums> sums;
  for (const WindowAnswer* const window : windows_) sums.push_back({over(*window), under(*window)});
  Calibration::Sums whole;
  if (begin_ != nullptr) whole = {over(*begin_), under(*begin_)};
  return calibration_.ratio(sums, whole);
}

void SampleReport::put_sums(Json& result) const {
  std::vector<WindowResult> windows;
  if (begin_ != nullptr) windows.push_back({1, begin_->result});
  for (std::size_t window = 0; window < windows_.size(); ++window)
    windows.push_back({calibration_.weights()[window], windows_[window]->result});
  put_merged(windows, result);
}

void SampleReport::add_operation(Json& intervals, std::size_t operation) const {
  std::vector<HostStatistics::Operation> windows;
  std::vector<LatencyHistogram> latencies;
  for (const WindowAnswer* const window : windows_) {
    windows.push_back(sum_of_jobs(*window, operation));
    latencies.push_back(windows.back().latency);
  }
  HostStatistics::Operation whole;
  if (begin_ != nullptr) whole = sum_of_jobs(*begin_, operation);
  const auto rate = [&](auto&& figure) {
    std::vector<Calibration::Sums> sums;
    for (std::size_t window = 0; window < windows.size(); ++window)
      sums.push_back({figure(windows[window]), seconds_of(*windows_[window])});
    return calibration_.ratio(sums, {figure(whole), begin_ == nullptr ? 0 : seconds_of(*begin_)});
  };
  const auto sums_of = [](const LatencyHistogram& histogram) {
    const auto n = static_cast<double>(histogram.count());
    return Calibration::Sums{histogram.mean() * n, n};
  };
  constexpr double kToNanoseconds = 1e-3;
  const std::string path = std::string("host.") + kIoOperationNames[operation];
  intervals[path + ".iops"] =
      interval_json(rate([](const HostStatistics::Operation& of) { return static_cast<double>(of.ios); }));
  intervals[path + ".bandwidth_bytes_per_s"] =
      interval_json(rate([](const HostStatistics::Operation& of) { return static_cast<double>(of.bytes); }));
  std::vector<Calibration::Sums> means;
  for (const LatencyHistogram& window : latencies) means.push_back(sums_of(window));
  intervals[path + ".latency_ns.mean"] =
      interval_json(calibration_.ratio(means, sums_of(whole.latency)), kToNanoseconds);
  std::vector<double> shares;
  for (const auto& [name, share] : kReportedPercentiles) shares.push_back(share);
  const std::vector<Interval> percentiles = calibration_.percentiles(latencies, whole.latency, shares);
  for (std::size_t i = 0; i < shares.size(); ++i)
    intervals[path + ".latency_ns." + kReportedPercentiles[i].first] = interval_json(percentiles[i], kToNanoseconds);
}

Json SampleReport::intervals(const Json& result) const {
  Json intervals = Json::object();
  double requests = 0;
  for (const auto& [operation, done] : result["window"].items())
    if (done.is_object()) requests += done["ios"].get<double>();
  intervals["simulated_s"] = interval_json(ratio(seconds_of, requests_of), requests);
  for (std::size_t operation = 0; operation < kIoOperations; ++operation)
    if (const auto found = result["window"].find(kIoOperationNames[operation]);
        found != result["window"].end() && (*found)["ios"].get<std::uint64_t>() != 0)
      add_operation(intervals, operation);
  intervals["ftl.waf"] = interval_json(ratio(
      [](const WindowAnswer& one) { return one.result["ftl"]["waf"].get<double>() * written_by(one); }, written_by));
  intervals["energy.total_j"] = interval_json(ratio(joules_of, requests_of), requests);
  intervals["energy.average_w"] = interval_json(ratio(joules_of, seconds_of));
  intervals["energy.j_per_io"] = interval_json(ratio(joules_of, requests_of));
  intervals["energy.j_per_gb"] = interval_json(ratio(joules_of, moved_by));
  std::set<std::string> kinds;
  for (const Json& component : result["energy"]["components"]) kinds.insert(component["kind"].get<std::string>());
  for (const std::string& kind : kinds)
    intervals["energy." + kind + ".j"] = interval_json(
        ratio([&kind](const WindowAnswer& one) { return joules_of_kind(one, kind); }, requests_of), requests);
  return intervals;
}

double SampleReport::widest_error() const {
  const auto error = [](const Interval& interval) {
    return interval.estimate == 0 ? 0 : (interval.high - interval.low) / 2 / interval.estimate;
  };
  double widest = error(ratio(seconds_of, requests_of));
  for (std::size_t operation = 0; operation < kIoOperations; ++operation) {
    const auto sum = [operation](const WindowAnswer& window) {
      const LatencyHistogram latency = sum_of_jobs(window, operation).latency;
      return latency.mean() * static_cast<double>(latency.count());
    };
    const auto ios = [operation](const WindowAnswer& window) {
      return static_cast<double>(sum_of_jobs(window, operation).ios);
    };
    widest = std::max(widest, error(ratio(sum, ios)));
  }
  return widest;
}

void SampleReport::complete(Json& result) const {
  put_sums(result);
  Json& sample = result["sample"] = Json::object();
  sample["intervals"] = intervals(result);
  // Extremes of the windows: those of the run may lie beyond.
  sample["not_sampled"] = {"host.*.*_ns.min",         "host.*.*_ns.max", "host.max_lateness_ns", "flash_queues.longest",
                           "flash_queues.*.*.max_ns", "energy.peak_w",   "ftl.free_blocks_min"};
}

}  // namespace flashloom
