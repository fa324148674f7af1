#include "models/cpu/cpu_config.hpp"

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const CpuConfig& cpu) {
  const auto cores = [&](const char* path, const std::vector<std::uint32_t>& list) {
    for (const std::uint32_t core : list)
      require(core < cpu.cores, path, "there is no core ", core, "; valid: 0 .. ", cpu.cores - 1);
  };
  cores("cpu.host_cores", cpu.host_cores);
  cores("cpu.ftl_cores", cpu.ftl_cores);
  cores("cpu.flash_cores", cpu.flash_cores);
  for (std::size_t i = 0; i < cpu.points.size(); ++i) {
    require(i == 0 || cpu.points[i - 1].clock < cpu.points[i].clock, "cpu.points", "point ", i,
            " is not faster than the one before it; valid: by rising clock");
    require(cpu.points[i].active_power != 0 || (cpu.voltage != 0 && cpu.points[i].voltage != 0), "cpu.points", "point ",
            i, " has no active_power; valid: a power, or its voltage and cpu.voltage");
  }
  require(!cpu.points.empty() || cpu.point == 0, "cpu.point", "there are no cpu.points; valid: 0");
  require(cpu.points.empty() || cpu.point < cpu.points.size(), "cpu.point", "there is no point ", cpu.point,
          "; valid: 0 .. ", cpu.points.size() - 1);
  require(!cpu.ondemand || cpu.points.size() > 1, "cpu.governor", "\"ondemand\" needs two cpu.points or more");
  require(cpu.down_threshold < cpu.up_threshold, "cpu.down_threshold", cpu.down_threshold,
          " is not below cpu.up_threshold, ", cpu.up_threshold);
  require(!cpu.ideal || !cpu.governed(), cpu.sleep_time != 0 ? "cpu.sleep_time" : "cpu.points",
          "is of cores that take time, but cpu.model is \"ideal\"; valid: cpu.model = \"arm\"");
}

}  // namespace flashloom
