#include "sc_main/assembly/report/thermal_report.hpp"

#include <fmt/format.h>

namespace flashloom {

nlohmann::ordered_json thermal_json(Ssd& ssd) {
  using Json = nlohmann::ordered_json;
  const ThermalStatistics statistics = ssd.thermal()->statistics();
  const ThermalConfig& config = ssd.config().thermal;
  Json json;
  Json& nodes = json["nodes"];
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    nodes[kThermalNodeNames[node]] = {
        {"max_c", statistics.highest[node]}, {"mean_c", statistics.mean[node]}, {"end_c", statistics.end[node]}};
  json["composite_max_c"] = statistics.composite_highest;
  Picoseconds throttled = 0;
  Json& levels = json["levels"] = Json::array();
  for (std::size_t level = 1; level < statistics.at_level.size(); ++level) {
    throttled += statistics.at_level[level];
    levels.push_back({{"from_c", config.throttle[level - 1]},
                      {"duty", config.duty[level - 1]},
                      {"link", config.link[level - 1]},
                      {"entered", statistics.entered[level]},
                      {"s", seconds(statistics.at_level[level])}});
  }
  json["throttled_s"] = seconds(throttled);
  json["unthrottled_s"] = seconds(statistics.at_level[0]);
  json["transitions"] = statistics.transitions;
  json["heat_j"] = statistics.heat_j;
  json["to_ambient_j"] = statistics.out_j;
  json["stored_j"] = statistics.stored_j;
  json["time_constants_s"] = ThermalNetwork(config).time_constants();
  return json;
}

std::string thermal_summary(const nlohmann::ordered_json& result) {
  if (!result.contains("thermal")) return {};
  const nlohmann::ordered_json& heat = result["thermal"];
  std::string text = "  heat  ";
  for (const auto& [name, node] : heat["nodes"].items())
    text += fmt::format(" {} {:.1f} C at the end, {:.1f} at most;", name, node["end_c"].get<double>(),
                        node["max_c"].get<double>());
  const double throttled = heat["throttled_s"].get<double>();
  return text + fmt::format(" throttled {:.4g} s of {:.4g} s, {} changes of level\n", throttled,
                            throttled + heat["unthrottled_s"].get<double>(), heat["transitions"].get<std::uint64_t>());
}

std::string thermal_csv(Ssd& ssd) {
  std::string text = "time_s,controller_c,nand_c,board_c,composite_c,level,controller_w,nand_w,board_w\n";
  for (const ThermalControl::Point& point : ssd.thermal()->points())
    text += fmt::format("{},{:.4f},{:.4f},{:.4f},{:.4f},{},{:.5f},{:.5f},{:.5f}\n", seconds(point.at), point.celsius[0],
                        point.celsius[1], point.celsius[2], ssd.thermal()->composite_of(point.celsius), point.level,
                        point.watts[0], point.watts[1], point.watts[2]);
  return text;
}

}  // namespace flashloom
