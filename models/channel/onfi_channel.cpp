#include "models/channel/onfi_channel.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

#include "models/channel/bus_energy.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

tlm::tlm_sync_enum OnfiChannel::Port::nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase,
                                                      sc_core::sc_time& delay) {
  const Picoseconds now = kernel_now();
  if (phase != tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME) [[unlikely]]
    channel->refuse("a die takes commands at once");
  std::uint32_t slot = index;
  if (channel->slots_[index].command != nullptr && channel->overlaps_.empty()) [[unlikely]]
    slot = channel->free_slot(index, command);
  channel->arrive(slot, command, now);
  return tlm::TLM_ACCEPTED;
}

OnfiChannel::OnfiChannel(const sc_core::sc_module_name& name, const NandTiming& timing, std::uint32_t dies,
                         AlarmClock& clock, EnergyMeter* meter)
    : sc_module(name),
      from_controller("from_controller", dies),
      to_die("to_die", dies),
      timing_(timing),
      meter_(meter),
      counts_bytes_(meter != nullptr && meter->operations() != 0),
      ports_(std::make_unique<Port[]>(dies)),
      clock_(clock),
      alarm_(clock.add(*this)),
      slots_(std::size_t{dies} * timing.overlap().plane_reads),
      short_commands_(slots_.size()),
      programs_(dies),
      reads_(slots_.size()),
      arrays_(slots_.size()),
      overlaps_(timing.overlap().any() || timing.way_switch_time() != 0 ? slots_.size() : 0),
      due_(slots_.size()),
      polls_(slots_.size()) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) slots_[i].position = i % dies;
  for (std::uint32_t i = 0; i < dies; ++i) {
    ports_[i].channel = this;
    ports_[i].index = i;
    from_controller[i].bind(ports_[i]);
    to_die[i].bind(die_end_);
  }
}

void OnfiChannel::attach(OnfiObserver& observer) {
  for (const Slot& slot : slots_)
    if (slot.command != nullptr) refuse("commands are under way");
  if (feed_ == nullptr) feed_ = std::make_unique<PhaseFeed>();
  feed_->attach(observer);
}

/// A free slot for a read of further planes of a die that has a command already.
std::uint32_t OnfiChannel::free_slot(std::uint32_t position, const OnfiCommand& command) const {
  const auto dies = static_cast<std::uint32_t>(from_controller.size());
  std::uint32_t slot = position + dies;
  while (slot < slots_.size() && slots_[slot].command != nullptr) slot += dies;
  if (slot >= slots_.size() || command.operation != FlashOperation::Read)
    refuse("a die takes one command at a time, or one a plane group");
  return slot;
}

void OnfiChannel::refuse(const char* why) const { throw std::logic_error(std::string(name()) + ": " + why); }

void OnfiChannel::arrive(std::uint32_t index, OnfiCommand& command, Picoseconds now) {
  if (committed_ != now) commit_until(now);  // not for a command that directly follows a completion
  if (overlaps_.empty() || !arrive_overlapping(index, command, now)) [[likely]] {
    Slot& slot = slots_[index];
    static_cast<Work&>(slot) = work_of(command);
    slot.state = State::Waiting;
    (command.operation == FlashOperation::Program ? programs_ : short_commands_)
        .insert(now + command.urgency * kPatience, index);
  }
  if (feed_ != nullptr) [[unlikely]] {
    if (command.at.granted == kNever) feed_->add(command, OnfiPhase::BeginRequest, now);
    feed_->flush(now);
  }
  if (!waking_) sleep(now);
}

Picoseconds OnfiChannel::next_decision() const {
  // Waiting commands have arrived by the last commit, and decisions up to it are made.
  const Picoseconds at = std::max(bus_free_, committed_);
  if (!short_commands_.empty() || !programs_.empty()) return at;
  Picoseconds next = reads_.empty() ? kNever : reads_.front().at;
  if (!overlaps_.empty()) [[unlikely]]
    next = std::min(next, next_instant());
  return std::max(at, next);
}

void OnfiChannel::commit_until(Picoseconds now) {
  for (;;) {
    const Picoseconds at = next_decision();
    if (at >= now) break;
    grant(at);
  }
  committed_ = now;
}

void OnfiChannel::grant(Picoseconds at) {
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
    if (slots_[index].state == State::Waiting) [[likely]]
      start(index, at);
    else
      load_behind(index, at);
    return;
  }
  if (!programs_.empty()) ++passed_;
  send_data(at);
}

void OnfiChannel::start(std::uint32_t index, Picoseconds at) {
  Slot& slot = slots_[index];
  OnfiCommand& command = *slot.command;
  const bool program = command.operation == FlashOperation::Program;
  const Picoseconds begin =
      occupy(index, at, slot.command_time, program ? slot.data_time : 0, program ? command.bytes : 0);
  for (OnfiCommand* each = &command; each != nullptr; each = each->together) {
    each->at.granted = begin;
    each->at.loaded = bus_free_;
  }
  if (feed_ != nullptr) [[unlikely]] {
    feed_->flush(at);
    feed_->add(command, OnfiPhase::BusGranted, begin);
    feed_->add(command, OnfiPhase::EndRequest, bus_free_);
  }
  run_array(index, bus_free_);
}

void OnfiChannel::send_data(Picoseconds at) {
  const std::uint32_t index = reads_.front().index;
  reads_.pop_front();
  if (!overlaps_.empty() && move_register(index, at)) [[unlikely]]
    return;
  Slot& slot = slots_[index];
  const Picoseconds begin = occupy(index, at, slot.select_time, slot.data_time, slot.command->bytes);
  slot.state = State::Transfer;
  slot.command->at.data_begin = begin;
  slot.command->at.complete = bus_free_;
  sending_ = index;
  if (feed_ != nullptr) [[unlikely]] {
    feed_->flush(at);
    feed_->add(*slot.command, OnfiPhase::BeginData, begin);
  }
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

OnfiCommand& OnfiChannel::finish(std::uint32_t index) {
  Slot& slot = slots_[index];
  OnfiCommand& command = *slot.command;
  if (feed_ != nullptr) [[unlikely]] {
    feed_->add(command, OnfiPhase::EndResponse, command.at.complete);
    feed_->flush(command.at.complete);
  }
  end_response(to_die[slot.position], command);
  if (command.together != nullptr) {
    slot.command = command.together;
    slot.data_time = timing_.data_time(slot.command->bytes);
    slot.state = State::Array;
    await_data(index, slot.command->at.array_end);
  } else {
    slot.command = nullptr;
    slot.state = State::Empty;
    if (!overlaps_.empty()) [[unlikely]]
      promote(index);
  }
  return command;
}

inline void OnfiChannel::respond(std::uint32_t index) {
  OnfiCommand& command = finish(index);
  end_response(from_controller[slots_[index].position], command);
}

/// Simulates the decisions up to the first completion without committing any of them.
Picoseconds OnfiChannel::next_completion(Picoseconds now) const {
  if (!overlaps_.empty()) [[unlikely]]
    return earliest_completion(now);
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
    const Slot& slot = slots_[short_commands_[i].index];
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
    const Slot& slot = slots_[programs_[i].index];
    bus += slot.command_time + slot.data_time;
    first = std::min(first, bus + slot.array_time);
  }
  return ready == kNever ? first : std::min(first, std::max(bus, ready) + data);
}

void OnfiChannel::sleep(Picoseconds now) {
  const Picoseconds next = next_completion(now);
  if (next == alarm_at_) return;
  alarm_at_ = next;
  clock_.set(alarm_, next);
}

void OnfiChannel::on_alarm() {
  const Picoseconds now = kernel_now();
  ++wakes_;
  alarm_at_ = kNever;
  waking_ = true;
  commit_until(now);
  if (sending_ != kNone && bus_free_ == now) {
    const std::uint32_t index = sending_;
    sending_ = kNone;
    respond(index);
  }
  while (!arrays_.empty() && arrays_.front().at <= now) {
    const std::uint32_t index = arrays_.front().index;
    arrays_.pop_front();
    respond(index);
  }
  waking_ = false;
  sleep(now);
}

void OnfiChannel::settle(Picoseconds now) {
  commit_until(now);
  if (feed_ != nullptr) feed_->flush(now);
}

void OnfiChannel::power_cut(Picoseconds at) {
  commit_until(at);
  if (sending_ != kNone && bus_free_ <= at) finish(sending_);
  for (; !arrays_.empty() && arrays_.front().at <= at; arrays_.pop_front()) finish(arrays_.front().index);
  if (feed_ != nullptr) {
    feed_->flush(at);
    feed_->clear();
  }
  bus_time_ = bus_time(at);
  last_grant_ = {at, at, at};
  if (meter_ != nullptr) meter_->truncate(at);
  for (Slot& slot : slots_) {
    static_cast<Work&>(slot) = {};
    slot.state = State::Empty;
  }
  short_commands_.clear();
  programs_.clear();
  reads_.clear();
  arrays_.clear();
  for (Overlap& overlap : overlaps_) overlap = {};
  due_.clear();
  polls_.clear();
  sending_ = selected_ = kNone;
  passed_ = 0;
  bus_free_ = at;
  alarm_at_ = kNever;
  clock_.set(alarm_, kNever);
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
