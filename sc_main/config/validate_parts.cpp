#include "sc_main/config/validate_parts.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sc_main/config/requirements.hpp"

namespace flashloom {
void validate_cpu(const CpuConfig& cpu, const ConfigOrigins& origins) {
  const Requirements require(origins);
  const auto cores = [&](const char* path, const std::vector<std::uint32_t>& list) {
    for (const std::uint32_t core : list)
      require(core < cpu.cores, path, fmt::format("there is no core {}; valid: 0 .. {}", core, cpu.cores - 1));
  };
  cores("cpu.host_cores", cpu.host_cores);
  cores("cpu.ftl_cores", cpu.ftl_cores);
  cores("cpu.flash_cores", cpu.flash_cores);
  for (std::size_t i = 0; i < cpu.points.size(); ++i) {
    require(i == 0 || cpu.points[i - 1].clock < cpu.points[i].clock, "cpu.points",
            fmt::format("point {} is not faster than the one before it; valid: by rising clock", i));
    require(cpu.points[i].active_power != 0 || (cpu.voltage != 0 && cpu.points[i].voltage != 0), "cpu.points",
            fmt::format("point {} has no active_power; valid: a power, or its voltage and cpu.voltage", i));
  }
  require(cpu.points.empty() ? cpu.point == 0 : cpu.point < cpu.points.size(), "cpu.point",
          cpu.points.empty() ? std::string("there are no cpu.points; valid: 0")
                             : fmt::format("there is no point {}; valid: 0 .. {}", cpu.point, cpu.points.size() - 1));
  require(!cpu.ondemand || cpu.points.size() > 1, "cpu.governor", "\"ondemand\" needs two cpu.points or more");
  require(cpu.down_threshold < cpu.up_threshold, "cpu.down_threshold",
          fmt::format("{} is not below cpu.up_threshold, {}", cpu.down_threshold, cpu.up_threshold));
  require(!cpu.ideal || !cpu.governed(), cpu.sleep_time != 0 ? "cpu.sleep_time" : "cpu.points",
          "is of cores that take time, but cpu.model is \"ideal\"; valid: cpu.model = \"arm\"");
}

void validate_dram(const DramConfig& dram, const ConfigOrigins& origins) {
  const Requirements require(origins);
  if (!dram.banked || dram.size == 0) return;
  require(dram.timing.banks != 0, "dram.model",
          "\"banked\" needs the timing of the part; set dram.kind, or dram.timing");
  require(dram.timing.burst != 0, "dram.timing.burst", "is 0 B; valid: burst length x bus width");
  require(
      dram.timing.row_size != 0 && dram.timing.row_size % dram.timing.burst == 0, "dram.timing.row_size",
      fmt::format("{} is no multiple of dram.timing.burst, {}", bytes(dram.timing.row_size), bytes(dram.timing.burst)));
  require(dram.bandwidth != 0, "dram.bandwidth", "is unlimited, but a banked DRAM has a bus; valid: above 0 B/s");
}

}  // namespace flashloom
