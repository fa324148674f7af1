#include "sc_main/assembly/report/hardware_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/ftl/features/compression/compressor.hpp"
#include "models/memory/banked_dram.hpp"
#include "sc_main/assembly/report/counters_json.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json memory_json(const MemoryTarget* memory) {
  if (memory == nullptr) return nullptr;
  Json json = counters_json(memory->counters());
  json["wear"] = memory->wear();
  if (const auto* const banked = dynamic_cast<const BankedDram*>(memory); banked != nullptr)
    json["rows"] = counters_json(banked->rows());
  return json;
}

Json compression_json(const Compressor& compressor, std::uint32_t unit_bytes) {
  const CompressionStatistics& statistics = compressor.statistics();
  const std::uint64_t in = statistics.compressed_units * unit_bytes;
  const std::uint64_t out = statistics.compressed_granules * compressor.granule();
  return {{"compressed_bytes", in},
          {"flash_bytes", out},
          {"ratio", out == 0 ? Json() : Json(static_cast<double>(in) / static_cast<double>(out))},
          {"decompressed_bytes", statistics.decompressed_units * unit_bytes}};
}

Json cpu_json(const ArmCores& cores, const EnergyReport& books) {
  if (!cores.governed()) return nullptr;
  const std::vector<OperatingPoint>& points = cores.points();
  Json list = Json::array();
  for (const ComponentEnergy& component : books.components) {
    if (component.kind != "cpu") continue;
    if (list.size() == cores.cores()) break;  // the cores of an array's other drives follow
    // The states are those of GovernedCore: idle and busy of each point, asleep, off.
    const auto residency = [&component](std::size_t state) { return seconds(component.states.at(state).residency); };
    Json json = {{"name", component.name}, {"points", Json::array()}};
    for (std::size_t point = 0; point < points.size(); ++point)
      json["points"].push_back(
          {{"clock_hz", points[point].clock}, {"idle_s", residency(2 * point)}, {"busy_s", residency(2 * point + 1)}});
    json["sleep_s"] = residency(2 * points.size());
    json["off_s"] = residency(2 * points.size() + 1);
    const ArmCores::Activity activity = cores.activity(static_cast<std::uint32_t>(list.size()));
    json["sleeps"] = activity.sleeps;
    json["transitions"] = activity.transitions;
    list.push_back(std::move(json));
  }
  return {{"cores", std::move(list)}};
}

std::string hardware_summary(const Json& result) {
  std::string text;
  if (const Json& cpu = result["cpu"]; !cpu.is_null()) {
    for (const Json& core : cpu["cores"]) {
      double all = core["sleep_s"].get<double>() + core["off_s"].get<double>();
      for (const Json& point : core["points"]) all += point["idle_s"].get<double>() + point["busy_s"].get<double>();
      if (all == 0) continue;
      text += fmt::format("  cpu    {}:", core["name"].get<std::string>());
      for (const Json& point : core["points"])
        text += fmt::format(" {:.0f} MHz {:.1f} % ({:.1f} % busy),", point["clock_hz"].get<double>() / 1e6,
                            100 * (point["idle_s"].get<double>() + point["busy_s"].get<double>()) / all,
                            100 * point["busy_s"].get<double>() / all);
      text += fmt::format(" asleep {:.1f} %; {} changes, {} sleeps\n", 100 * core["sleep_s"].get<double>() / all,
                          core["transitions"].get<std::uint64_t>(), core["sleeps"].get<std::uint64_t>());
    }
  }
  if (const Json& dram = result["dram"]; !dram.is_null() && dram.contains("rows")) {
    const Json& rows = dram["rows"];
    const double bursts = std::max(1.0, rows["bursts"].get<double>());
    text += fmt::format(
        "  dram   {} bursts: {:.2f} % row hits, {:.2f} % misses, {:.2f} % conflicts; {} waited for a refresh\n",
        rows["bursts"].get<std::uint64_t>(), 100 * rows["hits"].get<double>() / bursts,
        100 * rows["misses"].get<double>() / bursts, 100 * rows["conflicts"].get<double>() / bursts,
        rows["refresh_waits"].get<std::uint64_t>());
  }
  if (result.contains("compression") && !result["compression"]["ratio"].is_null()) {
    const Json& compression = result["compression"];
    text += fmt::format("  compr. {:.3f} GB to {:.3f} GB on flash: {:.2f} to 1\n",
                        compression["compressed_bytes"].get<double>() / 1e9,
                        compression["flash_bytes"].get<double>() / 1e9, compression["ratio"].get<double>());
  }
  if (result.contains("hmb")) {
    const Json& hmb = result["hmb"];
    const std::uint64_t hits = hmb["hits"].get<std::uint64_t>();
    const std::uint64_t looked_up = hits + hmb["misses"].get<std::uint64_t>();
    text += fmt::format(
        "  hmb    {} look-ups, {:.2f} % found; {} round trips, {} pages put there, {} written to flash\n", looked_up,
        100 * static_cast<double>(hits) / std::max(1.0, static_cast<double>(looked_up)),
        hmb["reads"].get<std::uint64_t>(), hmb["fills"].get<std::uint64_t>(), hmb["write_backs"].get<std::uint64_t>());
  }
  return text;
}

}  // namespace flashloom
