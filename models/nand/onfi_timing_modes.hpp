// Data interfaces and timing modes of the ONFI specification, and their effect on a device's bus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashloom {

struct NandConfig;

/// A data interface: "sdr" (ONFI 4.1, 4.15), "nv_ddr" (4.16), "nv_ddr2" (4.17), "nv_ddr3" (4.18); section numbers of
/// the timing parameter tables.
struct OnfiInterface {
  const char* name;
  std::vector<double> cycle_ps;  ///< by timing mode: one data cycle (tRC, tCK, tDSC)
  std::uint32_t transfers;       ///< in a cycle: 1, or 2 (DDR)
  /// By timing mode (the last value also for higher ones): a command or address cycle (tWC, tCAD).
  std::vector<std::uint32_t> command_ps;
  Picoseconds data_in_setup;   ///< tADL, with the write preamble where there is one
  Picoseconds data_out_setup;  ///< tRR, with the read preamble
  Picoseconds status_time;     ///< tWHR
  const char* source;
};

const std::vector<OnfiInterface>& onfi_interfaces();
/// Null for "custom", and for an unknown name.
const OnfiInterface* find_onfi_interface(const std::string& name);

/// Sets the values that `config.interface` and `config.timing_mode` determine. Throws std::invalid_argument for a mode
/// that the interface does not have.
void apply_onfi_timing(NandConfig& config);

}  // namespace flashloom
