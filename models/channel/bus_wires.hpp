// A bus for each channel: the ONFI topology.
#pragma once

#include <deque>

#include "models/channel/flash_wires.hpp"
#include "models/channel/onfi_channel.hpp"

namespace flashloom {

class BusWires final : public FlashWires {
 public:
  /// Meters are named "channel0" and so on.
  BusWires(const NandConfig& config, const NandGeometry& geometry, const NandTiming& timing, AlarmClock& clock,
           EnergyLedger* ledger);

  OnfiTargetSocket& from_controller(Die die) override {
    return channel_of(die).from_controller[geometry_.position_on_channel(die)];
  }
  OnfiInitiatorSocket& to_die(Die die) override { return channel_of(die).to_die[geometry_.position_on_channel(die)]; }
  void settle(Channel channel, Picoseconds now) override { channels_[channel.value()].settle(now); }
  void power_cut(Picoseconds at) override {
    for (OnfiChannel& channel : channels_) channel.power_cut(at);
  }
  Picoseconds next_decision(Channel channel) const override { return channels_[channel.value()].next_decision(); }
  BusTime bus_time(Channel channel, Picoseconds now) override { return channels_[channel.value()].bus_time(now); }
  void attach(Channel channel, OnfiObserver& observer) override { channels_[channel.value()].attach(observer); }
  std::uint64_t wakes() const override;
  const NetworkUse* use(Picoseconds) override { return nullptr; }
  void forget_use(Picoseconds) override {}

 private:
  OnfiChannel& channel_of(Die die) { return channels_[geometry_.channel_of(die).value()]; }

  const NandGeometry& geometry_;
  std::deque<OnfiChannel> channels_;  // modules neither move nor copy
};

}  // namespace flashloom
