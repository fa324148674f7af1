#include "models/channel/onfi_channel.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/channel/bus_energy.hpp"
#include "models/nand/nand_config.hpp"

namespace flashloom {

OnfiChannel::OnfiChannel(const sc_core::sc_module_name& name, const NandTiming& timing, std::uint32_t dies,
                         AlarmClock& clock, EnergyMeter* meter)
    : WireArbiter(name, timing, dies, clock),
      meter_(meter),
      counts_bytes_(meter != nullptr && meter->operations() != 0),
      short_commands_(slots_.size()),
      programs_(dies),
      overlaps_(timing.overlap().any() || timing.way_switch_time() != 0 ? slots_.size() : 0),
      due_(slots_.size()) {}

void OnfiChannel::enqueue(std::uint32_t die, OnfiCommand& command, Picoseconds now) {
  std::uint32_t index = die;
  if (!overlaps_.empty()) [[unlikely]] {
    if (enqueue_overlapping(die, command, now)) return;
  } else if (slots_[die].command != nullptr) [[unlikely]] {
    index = free_slot(die, command);
  }
  static_cast<Work&>(slots_[index]) = work_of(command);
  (command.operation == FlashOperation::Program ? programs_ : short_commands_)
      .insert(now + command.urgency * kPatience, index);
}

Picoseconds OnfiChannel::next_decision() const {
  // Waiting commands have arrived by decided(), and decisions before it are made.
  const Picoseconds at = std::max(bus_free_, decided());
  if (!short_commands_.empty() || !programs_.empty()) return at;
  Picoseconds next = reads_.empty() ? kNever : reads_.front().at;
  if (!overlaps_.empty()) [[unlikely]]
    next = std::min(next, next_instant());
  return std::max(at, next);
}

void OnfiChannel::decide(Picoseconds at) {
  assert(sending_ == kNone);
  if (!overlaps_.empty() && grant_instant(at)) [[unlikely]]
    return;
  if (!short_commands_.empty()) {
    const std::uint32_t index = short_commands_.front().index;
    short_commands_.pop_front();
    start(index, at);
    return;
  }
  const bool ready = !reads_.empty() && reads_.front().at <= at;
  if (!programs_.empty() && (!ready || passed_ >= kProgramBound)) {
    const std::uint32_t index = programs_.front().index;
    programs_.pop_front();
    passed_ = 0;
    if (slots_[index].waits()) [[likely]]
      start(index, at);
    else
      load_behind(index, at);
    return;
  }
  if (!programs_.empty()) ++passed_;
  const std::uint32_t index = reads_.front().index;
  reads_.pop_front();
  if (!overlaps_.empty() && move_register(index, at)) [[unlikely]]
    return;
  send_data(index, at);
  sending_ = index;
}

/// When the chip enables have changed to the slot's way, from `at` on.
Picoseconds OnfiChannel::turned_to(std::uint32_t index, Picoseconds at) const {
  return selected_ == kNone || timing_.same_way(selected_, index) ? at : at + timing_.way_switch_time();
}

void OnfiChannel::count_bytes(Picoseconds from, Picoseconds data_begin, std::uint32_t bytes) {
  if (data_begin != from) meter_->busy(1, from, data_begin);
  if (data_begin == bus_free_) return;
  meter_->busy(2, data_begin, bus_free_);
  meter_->count(0, timing_.bus_bytes(bytes), data_begin, bus_free_);
}

/// Simulates the decisions up to the first completion without making any of them.
Picoseconds OnfiChannel::next_completion(Picoseconds now) const {
  if (!overlaps_.empty()) [[unlikely]]
    return completion_bound(now);
  Picoseconds first = arrays_.empty() ? kNever : arrays_.front().at;
  if (sending_ != kNone) return std::min(first, bus_free_);
  Picoseconds bus = std::max(bus_free_, now);
  Picoseconds ready = kNever;  // earliest end of a read's array time
  Picoseconds data = 0;
  if (!reads_.empty()) {
    ready = reads_.front().at;
    data = slots_[reads_.front().index].select_time + slots_[reads_.front().index].data_time;
  }
  for (std::size_t i = 0; i < short_commands_.size(); ++i) {
    const DieSlot& slot = slots_[short_commands_[i].index];
    bus += slot.command_time;
    const Picoseconds end = bus + slot.array_time;
    if (slot.command->operation == FlashOperation::Erase || slot.data_time == 0) {
      first = std::min(first, end);
    } else if (end < ready) {
      ready = end;
      data = slot.select_time + slot.data_time;
    }
  }
  for (std::size_t i = 0; i < programs_.size() && (ready > bus || (i == 0 && passed_ >= kProgramBound)); ++i) {
    const DieSlot& slot = slots_[programs_[i].index];
    bus += slot.command_time + slot.data_time;
    first = std::min(first, bus + slot.array_time);
  }
  return ready == kNever ? first : std::min(first, std::max(bus, ready) + data);
}

void OnfiChannel::complete(Picoseconds now, bool report) {
  if (sending_ != kNone && bus_free_ <= now) finish(std::exchange(sending_, kNone), report);
  while (!arrays_.empty() && arrays_.front().at <= now) {
    const std::uint32_t index = arrays_.front().index;
    arrays_.pop_front();
    finish(index, report);
  }
}

void OnfiChannel::settle(Picoseconds now) {
  decide_before(now);
  if (feed_ != nullptr) feed_->flush(now);
}

void OnfiChannel::power_cut(Picoseconds at) {
  drop_commands(at);
  if (feed_ != nullptr) {
    feed_->flush(at);
    feed_->clear();
  }
  bus_time_ = bus_time(at);
  last_grant_ = {at, at, at};
  if (meter_ != nullptr) meter_->truncate(at);
  short_commands_.clear();
  programs_.clear();
  for (Overlap& overlap : overlaps_) overlap = {};
  due_.clear();
  sending_ = selected_ = kNone;
  passed_ = 0;
  bus_free_ = at;
}

BusTime OnfiChannel::bus_time(Picoseconds now) {
  settle(now);
  return last_grant_.until(now, bus_time_);  // all grants but the last one are over
}

PowerFigures OnfiChannel::power_figures(const NandConfig& config) {
  if (config.bus_energy_model != "capacitance")
    return {{{"idle", 0, kBackground}, {"transfer", config.io_voltage * config.bus_current, "nand.transfer"}}};
  return {.states = {{"idle", 0, kBackground},
                     {"command", 0, "nand.transfer"},
                     {"data", config.bus_termination_power, "nand.transfer"}},
          .operations = {{"byte", bus_energy_per_byte(config), "nand.transfer"}},
          .spread_watts = bus_watts(config)};
}

}  // namespace flashloom
