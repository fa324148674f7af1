#include "models/nand/onfi_timing_modes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/nand/nand_config.hpp"

namespace flashloom {

const std::vector<OnfiInterface>& onfi_interfaces() {
  // Cycle times, tWC, tCAD, tADL, tRR and tWHR of SDR and NV-DDR: the tables of timing modes 0 to 5, also in Linux
  // (drivers/mtd/nand/raw/nand_timings.c). NV-DDR2 and NV-DDR3: cycle times follow from the interfaces' nominal rates
  // (up to 800 MT/s in ONFI 4.0, 1200 MT/s in 4.1); tWC, tADL, tRR, tRPRE, tWPRE as in MQSim
  // (ONFI_Channel_NVDDR2.h), tWHR as in SDR.
  static const std::vector<OnfiInterface> interfaces = {
      {"sdr",
       {100'000, 50'000, 35'000, 30'000, 25'000, 20'000},
       1,
       {100'000, 45'000, 35'000, 30'000, 25'000, 20'000},
       400 * kNanosecond,
       20 * kNanosecond,
       80 * kNanosecond,
       "ONFI 4.1, SDR timing modes 0 to 5: tRC, tWC, tADL, tRR, tWHR"},
      {"nv_ddr",
       {50'000, 30'000, 20'000, 15'000, 12'000, 10'000},
       2,
       {45'000},
       400 * kNanosecond,
       20 * kNanosecond,
       80 * kNanosecond,
       "ONFI 4.1, NV-DDR timing modes 0 to 5: tCK, tCAD, tADL, tRR, tWHR"},
      {"nv_ddr2",
       {30'000, 25'000, 15'000, 12'000, 10'000, 7'500, 6'000, 5'000, 3'750, 3'000, 2'500},
       2,
       {25'000},
       85 * kNanosecond,
       35 * kNanosecond,
       80 * kNanosecond,
       "ONFI 4.1, NV-DDR2 timing modes 0 to 10: tRC; tWC, tADL + tWPRE, tRR + tRPRE as in MQSim"},
      {"nv_ddr3",
       {30'000, 25'000, 15'000, 12'000, 10'000, 7'500, 6'000, 5'000, 3'750, 3'000, 2'500, 1'875, 5'000 / 3.0},
       2,
       {25'000},
       85 * kNanosecond,
       35 * kNanosecond,
       80 * kNanosecond,
       "ONFI 4.1, NV-DDR3 timing modes 0 to 12: tRC; tWC, tADL + tWPRE, tRR + tRPRE as in MQSim"}};
  return interfaces;
}

std::vector<std::string> onfi_interface_names() {
  std::vector<std::string> names = {"custom"};
  for (const auto& each : onfi_interfaces()) names.emplace_back(each.name);
  return names;
}

const OnfiInterface* find_onfi_interface(const std::string& name) {
  const auto& all = onfi_interfaces();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OnfiInterface& each) { return name == each.name; });
  return found == all.end() ? nullptr : &*found;
}

void apply_onfi_timing(NandConfig& config) {
  const OnfiInterface* const interface = find_onfi_interface(config.interface);
  if (interface == nullptr) return;
  if (config.timing_mode >= interface->cycle_ps.size())
    throw std::invalid_argument("timing mode " + std::to_string(config.timing_mode) + " is none of " + interface->name +
                                "; valid: 0 to " + std::to_string(interface->cycle_ps.size() - 1));
  config.transfer_rate = static_cast<std::uint64_t>(
      std::llround(interface->transfers * static_cast<double>(kSecond) / interface->cycle_ps[config.timing_mode]));
  config.command_cycle =
      interface->command_ps[std::min<std::size_t>(config.timing_mode, interface->command_ps.size() - 1)];
  config.data_in_setup = interface->data_in_setup;
  config.data_out_setup = interface->data_out_setup;
  config.status_time = interface->status_time;
}

}  // namespace flashloom
