#include "sc_main/assembly/config/power_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/flash/power_governor.hpp"
#include "controllers/ssd/controller_logic.hpp"
#include "models/channel/flash_wires.hpp"
#include "models/cpu/arm_cores.hpp"
#include "models/link/host_link.hpp"
#include "models/memory/banked_dram.hpp"
#include "models/memory/memory_model.hpp"
#include "models/nand/nand_energy.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/requirements.hpp"

namespace flashloom {
namespace {

// Shorter windows take too many bookings to look at.
constexpr Picoseconds kShortestWindow = 100 * kMicrosecond;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double most_of(const PowerFigures& figures) {
  double most = 0;
  for (const PowerState& state : figures.states) most = std::max(most, state.watts);
  return most;
}

// `rate` a second; 0: nothing limits it.
double at_rate(double joules, double rate) { return joules == 0 ? 0 : rate == 0 ? kUnlimited : joules * rate; }

// What a memory draws above its states while it moves as many bytes as it can.
double moving(const MemoryConfig& memory) {
  return at_rate(std::max(memory.read_energy, memory.write_energy), static_cast<double>(memory.bandwidth));
}

double moving(const DramConfig& dram) {
  const double bytes = moving(static_cast<const MemoryConfig&>(dram));
  if (!dram.banked) return bytes;
  const double cycles = dram.timing.row_active == 0 ? 0 : 1 / seconds(dram.timing.row_active);
  return bytes + dram.open_power + at_rate(dram.timing.banks * dram.activate_energy, cycles);
}

// Codewords come as fast as the channels carry them, and from no buffer of more than a page a die.
double decoding(const DeviceConfig& config, const NandGeometry& geometry) {
  const NandConfig& nand = config.nand;
  const double joules = nand.ecc.decode_energy + nand.ecc.soft_decode_energy;
  if (!nand.errors.on() || joules == 0) return 0;
  if (nand.copyback) return kUnlimited;
  const double wires = nand.channels * static_cast<double>(nand.data_rate()) / 8;
  const double held = static_cast<double>(geometry.dies) * geometry.planes * geometry.page_bytes;
  return joules * (wires + held / seconds(config.power.cap_window)) / nand.ecc.codeword;
}

double of_link(const LinkConfig& link) {
  if (link.kind == "ideal") return 0;
  return most_of(HostLink::power_figures(link)) + most_of(HostLink::pipe_figures(link, HostLink::Direction::Down)) +
         most_of(HostLink::pipe_figures(link, HostLink::Direction::Up));
}

}  // namespace

std::vector<PartPower> states_beside_arrays(const DeviceConfig& config) {
  PowerFigures wires = FlashWires::power_figures(config.nand);
  if (config.nand.network.on()) wires.states.back().watts += wires.spread_watts;  // transfers over all possible hops
  const std::uint32_t ports =
      config.nand.channels + (config.nand.network.topology == "vertical" ? config.nand.ways : 0);
  std::vector<PartPower> parts{{"channels", ports * most_of(wires)},
                               {"cores", config.cpu.cores * most_of(ArmCores::power_figures(config.cpu))}};
  if (config.link.kind != "ideal") parts.push_back({"link", most_of(HostLink::power_figures(config.link))});
  if (config.dram.size != 0)
    parts.push_back({"DRAM", most_of(config.dram.banked ? BankedDram::power_figures(config.dram)
                                                        : MemoryModel::power_figures(config.dram, "dram"))});
  if (config.dramless()) parts.push_back({"SRAM", most_of(MemoryModel::power_figures(config.sram, "sram"))});
  if (config.nvram.size != 0) parts.push_back({"NVRAM", most_of(MemoryModel::power_figures(config.nvram, "nvram"))});
  if (config.nand.errors.on()) parts.push_back({"ECC", most_of(EccEngine::power_figures(config.nand.ecc))});
  if (config.controller.present())
    parts.push_back({"controller", most_of(ControllerLogic::power_figures(config.controller))});
  return parts;
}

PowerSplit split_power(const DeviceConfig& config, double max_power) {
  PowerSplit split{.parts = states_beside_arrays(config)};
  for (PartPower& part : split.parts) {
    if (part.part == "channels" && !config.nand.network.on())
      part.watts += config.nand.channels * FlashWires::power_figures(config.nand).spread_watts;
    if (part.part == "link") part.watts = of_link(config.link);
    if (part.part == "DRAM") part.watts += moving(config.dram);
    if (part.part == "SRAM") part.watts += moving(config.sram);
    if (part.part == "NVRAM") part.watts += moving(config.nvram);
    if (part.part == "ECC") part.watts += decoding(config, geometry_of(config));
    if (part.part == "controller" && config.link.kind == "ideal" && config.controller.byte_energy != 0)
      part.watts = kUnlimited;
  }
  if (config.compression.on())
    split.parts.push_back(
        {"compressor", 2 * at_rate(config.compression.energy, static_cast<double>(config.compression.rate))});
  if (config.power.plp && config.power.plp_charge_efficiency != 1 && config.power.cut_count() != 0)
    split.parts.push_back({"charging of capacitors", kUnlimited});  // what is lost there is drawn in an instant
  double watts = 0;
  for (const PartPower& part : split.parts) watts += part.watts;
  const double efficiency = config.power.regulator_efficiency;
  const double leakage = config.power.plp ? config.power.plp_leakage : 0;
  split.rest = watts / efficiency + leakage;
  split.shared = (max_power - split.rest) * efficiency;
  return split;
}

void check_power_states(const DeviceConfig& config) {
  const PowerConfig& power = config.power;
  const double most = power.max_power();
  if (most == 0) return;
  const auto real = [](double watts) { return format_real(Quantity::Power, watts); };
  const std::string said = fmt::format("max_power {} of power.state {}", real(most), power.state);
  const std::string window = format_exact(Quantity::Time, power.cap_window);
  for (const PowerStateConfig& state : power.states)
    require(state.operational || state.idle_power <= most, "power.states",
            fmt::format("{} is less than idle_power {} of a state that the device enters by itself", said,
                        real(state.idle_power)));
  require(power.cap_window >= kShortestWindow, "power.cap_window",
          fmt::format("{} is a mean over windows of {}; valid: at least {}", said, window,
                      format_exact(Quantity::Time, kShortestWindow)));
  const NandGeometry geometry = geometry_of(config);
  const double least = PowerGovernor::least_watts(config.nand, geometry.dies, power.cap_window);
  const PowerSplit split = split_power(config, most);
  std::string parts;
  for (const PartPower& part : split.parts)
    if (part.watts != 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.part,
                           std::isinf(part.watts) ? "without limit" : fmt::format("{:.3g} W", part.watts));
  const double needed = split.rest + least / PowerCap::kShare / power.regulator_efficiency;
  require(split.shared * PowerCap::kShare >= least, "power.states",
          fmt::format("{} is of the whole device, in every window of {}: other parts draw up to {} ({}), and a flash "
                      "operation beside the standby of {} dies needs {} of three quarters of the rest; valid: {}",
                      said, window, std::isinf(split.rest) ? "any power" : fmt::format("{:.3g} W", split.rest), parts,
                      geometry.dies, real(least),
                      std::isinf(needed) ? "0 W, or a limit of each part" : fmt::format("at least {:.4g} W", needed)));
  const LinkConfig& link = config.link;
  const double bytes = link.kind == "ideal" ? 0 : link.max_payload + link.packet_overhead;
  const double packet = bytes * (link.transfer_energy + config.controller.byte_energy);
  const double piece = PowerGovernor::piece_joules(split.shared, power.cap_window);
  require(packet <= piece, "power.cap_window",
          fmt::format("a packet on the link takes {:.4g} J, and {} leaves pieces of {:.4g} J in a window of {}; valid: "
                      "smaller packets (link.max_payload), or a longer window",
                      packet, said, piece, window));
}

}  // namespace flashloom
