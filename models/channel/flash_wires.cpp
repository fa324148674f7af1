#include "models/channel/flash_wires.hpp"

#include <string>

#include "models/channel/bus_wires.hpp"
#include "models/channel/flash_network.hpp"
#include "models/nand/nand_config.hpp"

namespace flashloom {

PowerFigures FlashWires::power_figures(const NandConfig& config) {
  return config.network.on() ? FlashNetwork::power_figures(config) : OnfiChannel::power_figures(config);
}

std::unique_ptr<FlashWires> make_flash_wires(const NandConfig& config, const NandGeometry& geometry,
                                             const NandTiming& timing, AlarmClock& clock, EnergyLedger* ledger) {
  if (config.network.on()) return std::make_unique<FlashNetwork>("network", config, geometry, timing, clock, ledger);
  return std::make_unique<BusWires>(config, geometry, timing, clock, ledger);
}

BusWires::BusWires(const NandConfig& config, const NandGeometry& geometry, const NandTiming& timing, AlarmClock& clock,
                   EnergyLedger* ledger)
    : geometry_(geometry) {
  for (std::uint32_t c = 0; c < geometry.channels; ++c) {
    const std::string name = "channel" + std::to_string(c);
    channels_.emplace_back(
        name.c_str(), timing, geometry.dies_per_channel(), clock,
        ledger == nullptr ? nullptr : &ledger->add(name, "channel", OnfiChannel::power_figures(config)));
  }
}

std::uint64_t BusWires::wakes() const {
  std::uint64_t sum = 0;
  for (const OnfiChannel& channel : channels_) sum += channel.wakes();
  return sum;
}

}  // namespace flashloom
