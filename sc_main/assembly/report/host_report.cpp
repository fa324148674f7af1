#include "sc_main/assembly/report/host_report.hpp"

#include <algorithm>
#include <optional>

#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/report/report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, double> kBreakdownPercentiles[] = {
    {"p50", 0.50}, {"p90", 0.90}, {"p99", 0.99}, {"p99_9", 0.999}, {"max", 1.0}};

// Mean of each part of the latency, over all requests, and over those in the bucket of each percentile.
Json breakdown(const HostStatistics::Operation& operation) {
  const auto mean = [](const BreakdownHistogram::Sums& sums) {
    Json json;
    for (std::size_t part = 0; part < kLatencyParts; ++part)
      json[to_string(static_cast<LatencyPart>(part))] =
          ratio(static_cast<double>(sums.parts[part]), count(sums.requests)) / static_cast<double>(kNanosecond);
    return json;
  };
  Json json;
  json["mean"] = mean(operation.breakdown.total());
  for (const auto& [name, share] : kBreakdownPercentiles)
    json[name] = mean(operation.breakdown.around(operation.latency.percentile_bucket(share)));
  return json;
}

void add_operations(Json& json, const HostStatistics& statistics, bool with_breakdown) {
  const double elapsed = seconds(statistics.elapsed());
  for (std::size_t i = 0; i < kIoOperations; ++i) {
    const HostStatistics::Operation& operation = statistics.operations[i];
    if (!is_reported(i, operation.ios)) continue;
    json[kIoOperationNames[i]] = {{"ios", operation.ios},
                                  {"bytes", operation.bytes},
                                  {"iops", ratio(count(operation.ios), elapsed)},
                                  {"bandwidth_bytes_per_s", ratio(count(operation.bytes), elapsed)},
                                  {"latency_ns", latency_json(operation.latency)},
                                  {"slat_ns", latency_json(operation.slat)},
                                  {"clat_ns", latency_json(operation.clat)}};
    if (with_breakdown) json[kIoOperationNames[i]]["latency_breakdown_ns"] = breakdown(operation);
  }
  add_counters(json, statistics);
}

// One entry per job; a group of jobs has one entry at the place of its first job.
Json jobs(const HostDriver& host, bool with_breakdown) {
  struct Entry {
    std::string name;
    std::string group;
    std::uint32_t jobs;
    std::vector<std::uint32_t> queues;
    std::vector<std::uint32_t> streams;
    HostStatistics statistics;
  };
  std::vector<Entry> entries;
  for (std::uint32_t number = 0; number < host.jobs(); ++number) {
    const HostJob& job = host.job(number);
    const HostStatistics& statistics = host.statistics(number);
    auto found =
        std::find_if(entries.begin(), entries.end(), [&job](const Entry& entry) { return entry.group == job.group; });
    if (job.group.empty() || found == entries.end()) {
      found =
          entries.insert(entries.end(), {job.group.empty() ? job.name : job.group, job.group, 1, {}, {}, statistics});
    } else {
      ++found->jobs;
      found->statistics += statistics;
    }
    const auto note = [](std::vector<std::uint32_t>& list, std::uint32_t value) {
      if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    for (std::uint32_t queue = 0; queue < job.queues; ++queue) note(found->queues, job.queue + queue);
    note(found->streams, job.stream);
  }
  Json list = Json::array();
  for (const Entry& entry : entries) {
    Json json = {{"name", entry.name}, {"jobs", entry.jobs}, {"queues", entry.queues}, {"streams", entry.streams}};
    add_operations(json, entry.statistics, with_breakdown);
    list.push_back(std::move(json));
  }
  return list;
}

// Sum of the statistics of all jobs on the namespace.
Json namespace_json(const HostDriver& host, std::uint32_t number, std::uint64_t bytes, bool with_breakdown) {
  std::optional<HostStatistics> sum;
  for (std::uint32_t job = 0; job < host.jobs(); ++job) {
    if (host.job(job).name_space != number) continue;
    if (sum)
      *sum += host.statistics(job);
    else
      sum = host.statistics(job);
  }
  Json json = {{"namespace", number}, {"bytes", bytes}};
  add_operations(json, sum.value_or(HostStatistics{}), with_breakdown);
  return json;
}

}  // namespace

Json host_interface_json(const HostDriver& driver, const HostInterface& interface, const DeviceConfig& config) {
  const HostInterfaceStatistics& statistics = interface.statistics();
  Json namespaces = Json::array();
  const std::vector<std::uint64_t>& sizes = config.host_interface.namespaces;
  for (std::uint32_t i = 0; i < sizes.size(); ++i)
    namespaces.push_back(namespace_json(driver, i + 1, sizes[i], config.host.latency_breakdown));
  Json interrupts = nullptr;  // null: one interrupt per completion
  if (interface.traits().aggregate > 1)
    interrupts = {
        {"count", statistics.interrupts}, {"completions", statistics.reported}, {"by_time", statistics.by_time}};
  return {{"kind", config.host_interface.kind.name},
          {"lists", {{"fetches", statistics.lists}, {"bytes", statistics.list_bytes}}},
          {"interrupts", interrupts},
          {"namespaces", std::move(namespaces)}};
}

bool is_reported(std::size_t operation, std::uint64_t ios) {
  return static_cast<IoOperation>(operation) < IoOperation::WriteZeroes || ios != 0;
}

Json host_json(const HostDriver& driver, const HostStatistics& statistics, bool with_breakdown) {
  Json json;
  add_operations(json, statistics, with_breakdown);
  json["jobs"] = jobs(driver, with_breakdown);
  return json;
}

}  // namespace flashloom
