#include "sc_main/stack/heap/heap_report.hpp"

#include <fmt/format.h>

#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/report/hardware_report.hpp"
#include "sc_main/assembly/report/report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json operations_json(const HeapJobStatistics& statistics) {
  Json json;
  for (std::size_t i = 0; i < kObjectOperations; ++i) {
    const HeapJobStatistics::Operation& operation = statistics.operations[i];
    json[to_string(static_cast<ObjectOperation>(i))] = {
        {"count", operation.count}, {"bytes", operation.bytes}, {"latency_ns", latency_json(operation.latency)}};
  }
  return json;
}

}  // namespace

nlohmann::ordered_json heap_json(HeapSystem& system, const DeviceConfig& config) {
  const HeapProcesses& processes = system.processes();
  const HeapLayout& layout = system.heap().layout();
  Json json;
  json["replacement"] = config.heap.replacement.name;
  json["frames"] = layout.frames;
  json["capacity_pages"] = system.heap().pages().capacity();
  json["metadata_bytes"] = layout.metadata_bytes();
  json["address_space_bytes"] = layout.heap_bytes();
  json["setup_s"] = seconds(system.setup().time);
  json["setup_swapped_out"] = system.setup().swapped_out;
  json["setup_swapped_in"] = system.setup().swapped_in;
  json["elapsed_s"] = seconds(processes.end() - processes.begin());
  json["struck"] = processes.statistics().struck;
  json["operations"] = operations_json(processes.statistics());
  Json& jobs = json["jobs"] = Json::array();
  for (std::size_t job = 0; job < processes.jobs(); ++job)
    jobs.push_back({{"name", processes.name(job)}, {"operations", operations_json(processes.statistics(job))}});
  add_counters(json, system.heap().statistics());
  if (config.nand.errors.on()) {
    const HeapStatistics& counts = system.heap().statistics();
    json["unreadable"] = {{"lost_pages", counts.lost_pages},
                          {"failed_reads", counts.failed_reads},
                          {"failed_updates", counts.failed_updates},
                          {"lost_pages_at_end", system.heap().lost_pages()}};
  }
  json["nvram"] = memory_json(&system.nvram());
  json["recovery"] = counters_json(system.heap().recovery());
  return json;
}

std::string heap_summary(const nlohmann::ordered_json& result) {
  const Json& heap = result["heap"];
  if (heap.is_null()) return {};
  std::string text;
  for (const auto& [name, operation] : heap["operations"].items()) {
    if (operation["count"].get<std::uint64_t>() == 0) continue;
    const Json& latency = operation["latency_ns"];
    text += fmt::format("  {:<6} {:>10} objects' operations, lat mean {:.4g} us, p99 {:.4g} us, max {:.4g} us\n", name,
                        operation["count"].get<std::uint64_t>(), latency["mean"].get<double>() / 1e3,
                        latency["p99"].get<double>() / 1e3, latency["max"].get<double>() / 1e3);
  }
  const auto number = [&heap](const char* key) { return heap[key].get<std::uint64_t>(); };
  text += fmt::format("  heap   {:.6g} s after a setup of {:.6g} s; {:.2f} % hits of {} pages\n",
                      heap["elapsed_s"].get<double>(), heap["setup_s"].get<double>(),
                      100 * heap["hit_ratio"].get<double>(), number("read_pages") + number("update_pages"));
  text += fmt::format("  swap   {} pages out ({} in the setup), {} in; {} left clean\n", number("swapped_out"),
                      number("setup_swapped_out"), number("swapped_in"), number("clean_evictions"));
  if (const auto lost = heap.find("unreadable"); lost != heap.end())
    text +=
        fmt::format("  lost   {} pages that could not be read, {} of them at the end; {} reads and {} updates failed\n",
                    (*lost)["lost_pages"].get<std::uint64_t>(), (*lost)["lost_pages_at_end"].get<std::uint64_t>(),
                    (*lost)["failed_reads"].get<std::uint64_t>(), (*lost)["failed_updates"].get<std::uint64_t>());
  return text;
}

}  // namespace flashloom
