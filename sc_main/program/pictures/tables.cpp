#include "sc_main/program/pictures/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "controllers/ftl/oob.hpp"

namespace flashloom {
namespace {}  // namespace

std::string latency_cdf_csv(const HostStatistics& statistics) {
  std::string text = "operation,latency_ns,share,above\n";
  for (std::size_t i = 0; i < kIoOperations; ++i) {
    const LatencyHistogram& histogram = statistics.operations[i].latency;
    const auto all = static_cast<double>(histogram.count());
    histogram.for_each_step([&](Picoseconds latency, std::uint64_t seen) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", kIoOperationNames[i],
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

std::string pages_csv(const NandMedia& media, std::uint64_t units) {
  const NandGeometry& geometry = media.geometry();
  const OobLayout layout(units);
  // Calls f(die, block, position, word) for each place that holds a logical unit.
  const auto each = [&](auto&& f) {
    for (std::uint32_t die = 0; die < geometry.dies; ++die)
      for (std::uint32_t block = 0; block < geometry.blocks; ++block)
        for (std::uint32_t position = 0; position < geometry.units_per_block(); ++position) {
          const OobWord word = media.oob({Die{die}, Block{block}, Page{0}}, position);
          if (layout.is_data(word)) f(die, block, position, word);
        }
  };
  std::map<std::uint32_t, std::uint64_t> newest;                            // version, by logical unit
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> column;  // by die and block
  each([&](std::uint32_t die, std::uint32_t block, std::uint32_t, OobWord word) {
    std::uint64_t& version = newest[layout.unit(word)];
    version = std::max(version, layout.version(word));
    column.try_emplace({die, block}, 0);
  });
  for (auto it = column.begin(), before = it; it != column.end(); before = it++)
    if (it != before && it->first.first == before->first.first) it->second = before->second + 1;
  std::string text = "die,column,page,unit,logical,newest\n";
  each([&](std::uint32_t die, std::uint32_t block, std::uint32_t position, OobWord word) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", die, column[{die, block}],
                   position / geometry.units_per_page, position % geometry.units_per_page, layout.unit(word),
                   layout.version(word) == newest[layout.unit(word)] ? 1 : 0);
  });
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

std::string power_by_kind_csv(const PowerByKind& power, double volts, bool closed) {
  std::string text = "time_s,duration_s,power_w,current_a";
  for (const std::string& kind : power.kinds) text += "," + kind + "_w";
  text += '\n';
  const auto out = std::back_inserter(text);
  const auto line = [&](Picoseconds at, Picoseconds duration, std::size_t bin) {
    fmt::format_to(out, "{},{},{},{}", seconds(at), seconds(duration), power.total[bin], power.total[bin] / volts);
    for (const std::vector<double>& watts : power.watts) fmt::format_to(out, ",{}", watts[bin]);
    text += '\n';
  };
  for (std::size_t i = 0; i < power.bins.count; ++i) line(power.begin_of(i), power.bins.width_of(i), i);
  if (closed && power.bins.count != 0) line(power.from + power.bins.end, 0, power.bins.count - 1);
  return text;
}

}  // namespace flashloom
