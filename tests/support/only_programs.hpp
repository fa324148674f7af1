// A drive on which only flash programs draw energy.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

/// Energy of one program: 3.3 V x 20 mA x 500 us.
inline constexpr double kProgramJoules = 3.3 * 0.020 * 500e-6;

/// Overrides for such a drive, followed by `more`.
inline std::vector<std::string> only_programs_draw(const std::vector<std::string>& more) {
  std::vector<std::string> overrides = {
      "nand.array_voltage=3.3 V", "nand.program_current=20 mA", "nand.program_time=500 us", "nand.read_current=0 A",
      "nand.erase_current=0 A",   "nand.bus_current=0 A",       "nand.standby_current=0 A", "cpu.active_power=0 W",
      "cpu.idle_power=0 W",       "link.active_power=0 W",      "link.idle_power=0 W",      "dram.read_energy=0 J/B",
      "dram.write_energy=0 J/B",  "dram.refresh_energy=0 J",    "dram.background_power=0 W"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

}  // namespace flashloom
