#include "sc_main/stack/array/array_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/report/hardware_report.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/ssd_report.hpp"
#include "sc_main/assembly/report/wear_report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

// State of a drive: "active", "failed", "rebuilding" (the spare), "spare".
const char* state_of(const ArraySystem& array, std::uint32_t drive, std::uint32_t slots) {
  const ArrayController& controller = array.controller();
  const std::vector<std::uint32_t>& drives = controller.media().drives;
  if (std::find(drives.begin(), drives.end(), drive) != drives.end()) return "active";
  if (drive < slots || controller.media().spare_taken) return "failed";
  return controller.rebuild().slot != kNoDrive ? "rebuilding" : "spare";
}

Json drive_json(const ArraySystem& array, std::uint32_t drive) {
  Ssd& ssd = *array.drives()[drive];
  const TierTraffic& traffic = array.controller().traffic(drive);
  const FlashCounters& flash = ssd.flash().counters();
  const EnergyReport books = ssd.ledger().report();
  Json json = {{"name", "drive" + std::to_string(drive)},
               {"seed", ssd.config().seed},
               {"state", state_of(array, drive, array.controller().layout().slots())}};
  add_counters(json, traffic);
  json["read_latency_ns"] = latency_json(array.latencies(drive).reads);
  json["write_latency_ns"] = latency_json(array.latencies(drive).writes);
  json["flash"] = flash_json(flash);
  json["ftl"] = ftl_json(ssd, flash, traffic.write_bytes);
  json["wear"] = wear_json(ssd.media(), ssd.firmware().ftl().bad_blocks());
  double joules = 0;
  for (const ComponentEnergy& component : books.components)
    joules += ArraySystem::of_drive(component) ? component.joules : 0;
  json["energy_j"] = joules;
  return json;
}

}  // namespace

nlohmann::ordered_json array_json(const ArraySystem& array, const DeviceConfig& config) {
  const ArrayController& controller = array.controller();
  const ArrayRebuild& rebuild = controller.rebuild();
  Json json = {{"level", config.array.level},
               {"drives", Json::array()},
               {"chunk_bytes", controller.layout().chunk()},
               {"stripes", controller.layout().stripes()},
               {"degraded", controller.array()->degraded()},
               {"unsynced_stripes", controller.array()->unsynced_stripes()},
               {"lost_stripes", controller.media().lost.size()}};
  add_counters(json, controller.statistics());
  json["rebuild"] = nullptr;
  if (rebuild.slot != kNoDrive) {
    json["rebuild"] = {{"drive", rebuild.slot},
                       {"begin_s", seconds(rebuild.begin)},
                       {"end_s", nullptr},
                       {"progress", ratio(count(rebuild.stripes_done), count(controller.layout().stripes()))}};
    if (rebuild.end != 0) json["rebuild"]["end_s"] = seconds(rebuild.end);
  }
  json["nvram"] = memory_json(array.nvram());
  for (std::uint32_t drive = 0; drive < array.drives().size(); ++drive)
    json["drives"].push_back(drive_json(array, drive));
  return json;
}

std::string array_summary(const nlohmann::ordered_json& result) {
  if (!result.contains("array")) return {};
  const Json& array = result["array"];
  std::string text = fmt::format("  array  {} of {} drives{}", array["level"].get<std::string>(),
                                 result["config"]["array"]["drives"].get<std::uint64_t>(),
                                 array["degraded"].get<bool>() ? ", degraded" : "");
  if (const Json& rebuild = array["rebuild"]; !rebuild.is_null())
    text += fmt::format(", rebuilt {:.2f} %", 100 * rebuild["progress"].get<double>());
  text += "; bytes written, WAF:";
  for (const Json& drive : array["drives"])
    text += fmt::format(" {} {:.3g}", drive["write_bytes"].get<std::uint64_t>(), drive["ftl"]["waf"].get<double>());
  return text + "\n";
}

}  // namespace flashloom
