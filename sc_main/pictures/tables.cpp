#include "sc_main/pictures/tables.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>

namespace flashloom {
namespace {

constexpr const char* kOperations[kIoOperations] = {"read", "write", "trim", "flush"};

}  // namespace

std::string latency_cdf_csv(const HostStatistics& statistics) {
  std::string text = "operation,latency_ns,share,above\n";
  for (std::size_t i = 0; i < kIoOperations; ++i) {
    const LatencyHistogram& histogram = statistics.operations[i].latency;
    const auto all = static_cast<double>(histogram.count());
    histogram.for_each_step([&](Picoseconds latency, std::uint64_t seen) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", kOperations[i],
                     static_cast<double>(latency) / static_cast<double>(kNanosecond), static_cast<double>(seen) / all,
                     static_cast<double>(histogram.count() - seen) / all);
    });
  }
  return text;
}

std::string wear_csv(const NandMedia& media) {
  std::map<std::uint32_t, std::uint64_t> blocks;
  for (std::uint32_t die = 0; die < media.geometry().dies; ++die)
    for (std::uint32_t block = 0; block < media.geometry().blocks; ++block)
      ++blocks[media.erase_count(Die{die}, Block{block})];
  std::string text = "erases,blocks\n";
  for (const auto& [erases, count] : blocks) fmt::format_to(std::back_inserter(text), "{},{}\n", erases, count);
  return text;
}

std::string shares_csv(const nlohmann::ordered_json& utilization, const std::string& parts) {
  const auto& list = utilization.at(parts);
  std::string text = "row,part";
  for (const auto& [state, share] : list.at(0).items()) text += "," + state;
  text += '\n';
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += fmt::format("{},{} {}", i, parts == "dies" ? "die" : "channel", i);
    for (const auto& [state, share] : list[i].items()) text += fmt::format(",{}", share.template get<double>());
    text += '\n';
  }
  return text;
}

}  // namespace flashloom
