#include "sc_main/assembly/report/wear_report.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flashloom {
namespace {

constexpr std::uint32_t kBins = 32;

}  // namespace

nlohmann::ordered_json wear_json(const NandMedia& media, std::uint32_t bad_blocks) {
  std::vector<std::uint32_t> erases;
  for (std::uint32_t die = 0; die < media.geometry().dies; ++die)
    for (std::uint32_t block = 0; block < media.geometry().blocks; ++block)
      erases.push_back(media.erase_count(Die{die}, Block{block}));
  const auto [least, most] = std::minmax_element(erases.begin(), erases.end());
  const auto blocks = static_cast<double>(erases.size());
  std::uint64_t total = 0;
  for (const std::uint32_t count : erases) total += count;
  const double mean = static_cast<double>(total) / blocks;
  double squares = 0;
  for (const std::uint32_t count : erases) squares += (count - mean) * (count - mean);

  nlohmann::ordered_json json = {{"erase_units", erases.size()},
                                 {"bad_blocks", bad_blocks},
                                 {"erases_total", total},
                                 {"erases_min", *least},
                                 {"erases_mean", mean},
                                 {"erases_max", *most},
                                 {"erases_stddev", std::sqrt(squares / blocks)},
                                 {"endurance", nullptr},
                                 {"life_used", nullptr}};
  if (media.endurance().limited()) {
    std::uint32_t of_factory = 0;
    for (std::uint32_t block = 0; block < erases.size(); ++block)
      of_factory += media.endurance().bad_from_factory(block) ? 1 : 0;
    json["grown_bad_blocks"] = bad_blocks - of_factory;
    json["program_failures"] = media.program_failures();
    json["erase_failures"] = media.erase_failures();
  }
  if (media.endurance().cycles() != 0) {
    json["endurance"] = media.endurance().cycles();
    json["life_used"] = mean / media.endurance().cycles();
  }
  nlohmann::ordered_json& histogram = json["histogram"] = nlohmann::ordered_json::array();
  const std::uint32_t width = (*most - *least) / kBins + 1;
  for (std::uint32_t from = *least; from <= *most; from += width) {
    const auto in_bin =
        std::count_if(erases.begin(), erases.end(), [&](std::uint32_t n) { return n >= from && n - from < width; });
    histogram.push_back({{"from", from}, {"to", from + width - 1}, {"blocks", in_bin}});
  }
  return json;
}

}  // namespace flashloom
