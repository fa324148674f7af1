// Operations of one die that overlap or interrupt each other: cache commands, suspension and the independent plane
// reads served during it, status polling.
#include <algorithm>
#include <utility>

#include "models/channel/onfi_channel.hpp"

namespace flashloom {

/// True: the command joins one that its die already has. False: the die is idle.
bool OnfiChannel::enqueue_overlapping(std::uint32_t index, OnfiCommand& command, Picoseconds now) {
  DieSlot& slot = slots_[index];
  Overlap& overlap = overlaps_[index];
  if (overlap.held.command == &command) {
    if (slot.command != nullptr || overlap.due != Due::None) refuse("a command is resumed once, and alone");
    plan(index, Due::Resume, now);
    return true;
  }
  const bool resuming = overlap.held.command != nullptr && overlap.due == Due::Resume;
  if (slot.command == nullptr && !resuming) return false;
  const bool among_reads = slot.command != nullptr && slot.command->operation == FlashOperation::Read;
  if (timing_.overlap().plane_reads > 1 && command.operation == FlashOperation::Read &&
      (among_reads || overlap.intruder.command != nullptr)) {
    join_reads(index, command, now);
    return true;
  }
  if (overlap.behind.command != nullptr || overlap.intruder.command != nullptr)
    refuse("a die has two commands already");
  const FlashOperation front = resuming ? overlap.held.command->operation : slot.command->operation;
  const NandOverlap& rules = timing_.overlap();
  const bool in_array = slot.command != nullptr && !slot.waits();
  overlap.turn = now + command.urgency * kPatience;
  if (command.operation == front) {
    if (command.operation == FlashOperation::Erase || command.bytes == 0 ||
        !(front == FlashOperation::Read ? rules.cache_read : rules.cache_program))
      refuse("the die has no such cache command");
    static_cast<Work&>(overlap.behind) = work_of(command);
    // Behind a program that still waits for the bus, it queues once that program has started.
    if (front == FlashOperation::Program && in_array) programs_.insert(overlap.turn, index);
    return true;
  }
  if (command.operation != FlashOperation::Read || !rules.suspends(front)) refuse("the die cannot be interrupted so");
  overlap.intruder = work_of(command);
  if (in_array) plan_suspension(index, now);
  return true;
}

/// Calls f(index of the slot) for the reads of a die's further plane groups. `index`: the die's first slot.
template <class F>
void OnfiChannel::for_each_beside(std::uint32_t index, F&& f) const {
  const auto dies = static_cast<std::uint32_t>(to_die.size());
  for (std::size_t i = std::size_t{index} + dies; i < slots_.size(); i += dies)
    if (slots_[i].command != nullptr) f(static_cast<std::uint32_t>(i));
}

/// A read that joins reads of other planes: it waits for the bus, for the array to be suspended, or with the read that
/// will interrupt.
void OnfiChannel::join_reads(std::uint32_t index, OnfiCommand& command, Picoseconds now) {
  const auto dies = static_cast<std::uint32_t>(to_die.size());
  const std::uint32_t beside = free_slot(index + dies, command);
  static_cast<Work&>(slots_[beside]) = work_of(command);
  Overlap& overlap = overlaps_[beside];
  overlap.turn = now + command.urgency * kPatience;
  const Overlap& first = overlaps_[index];
  if (first.intruder.command != nullptr) return;
  if (first.held.command != nullptr && now < first.held.command->at.array_end)
    plan(beside, Due::Begin, first.held.command->at.array_end);
  else
    short_commands_.insert(overlap.turn, beside);
}

/// The first instant at which a suspend, resume, register move or status read becomes due.
Picoseconds OnfiChannel::next_instant() const {
  return std::min(due_.empty() ? kNever : due_.front().at, polls_.empty() ? kNever : polls_.front().at);
}

/// Makes the decision that is due by `at`, if any; returns whether there was one.
bool OnfiChannel::grant_instant(Picoseconds at) {
  if (!due_.empty() && due_.front().at <= at) {
    const std::uint32_t index = due_.front().index;
    due_.pop_front();
    switch (std::exchange(overlaps_[index].due, Due::None)) {
      case Due::Suspend:
        suspend(index, at);
        break;
      case Due::Begin:
        start(index, at);
        break;
      case Due::Resume:
        resume(index, at);
        break;
      case Due::None:
        break;
    }
    return true;
  }
  if (polls_.empty() || polls_.front().at > at) return false;
  const std::uint32_t index = polls_.front().index;
  polls_.pop_front();
  poll(index, at);
  return true;
}

void OnfiChannel::plan(std::uint32_t index, Due due, Picoseconds at) {
  overlaps_[index].due = due;
  due_.insert(at, index);
}

void OnfiChannel::plan_suspension(std::uint32_t index, Picoseconds now) {
  plan(index, Due::Suspend, std::max(now, overlaps_[index].running_since + timing_.overlap().suspend_interval));
}

void OnfiChannel::suspend(std::uint32_t index, Picoseconds at) {
  DieSlot& slot = slots_[index];
  Overlap& overlap = overlaps_[index];
  OnfiCommand& command = *slot.command;
  const NandOverlap& rules = timing_.overlap();
  const Picoseconds told = turned_to(index, at) + rules.suspend_command;
  const Picoseconds stands = told + rules.suspend_time[static_cast<std::size_t>(command.operation)];
  if (command.at.array_end <= stands) return;  // it completes first: the read follows it
  occupy(index, at, rules.suspend_command, 0, 0);
  if (feed_ != nullptr) [[unlikely]] {
    feed_->flush(at);
    feed_->withdraw(command, OnfiPhase::BeginResponse);
    feed_->add(command, OnfiPhase::ArrayStands, stands);
  }
  arrays_.remove(index);
  polls_.remove(index);
  overlap.held.left = command.at.array_end - told;
  command.at.array_end = stands;
  tlm::tlm_phase phase = ARRAY_STANDS;
  sc_core::sc_time delay;
  to_die[index]->nb_transport_fw(command, phase, delay);
  static_cast<Work&>(overlap.held) = slot;
  static_cast<Work&>(slot) = std::exchange(overlap.intruder, {});
  plan(index, Due::Begin, stands);
  for_each_beside(index, [this, stands](std::uint32_t beside) { plan(beside, Due::Begin, stands); });
}

void OnfiChannel::resume(std::uint32_t index, Picoseconds at) {
  DieSlot& slot = slots_[index];
  Overlap& overlap = overlaps_[index];
  const NandOverlap& rules = timing_.overlap();
  occupy(index, at, rules.suspend_command, 0, 0);
  const Suspended held = std::exchange(overlap.held, {});
  static_cast<Work&>(slot) = held;
  OnfiCommand& command = *slot.command;
  command.at.suspended += bus_free_ - command.at.array_end;
  command.at.resumed = bus_free_;
  const Picoseconds left = rules.resume_time[static_cast<std::size_t>(command.operation)] + held.left;
  command.at.array_end = bus_free_ + left;
  tlm::tlm_phase phase = ARRAY_RUNS;
  sc_core::sc_time delay = kernel_time(left);
  to_die[index]->nb_transport_fw(command, phase, delay);
  if (feed_ != nullptr) [[unlikely]] {
    feed_->flush(at);
    feed_->add(command, OnfiPhase::ArrayRuns, bus_free_);
    feed_->add(command, OnfiPhase::BeginResponse, command.at.array_end);
  }
  overlap.running_since = bus_free_;
  watch_array(index, bus_free_);
  if (overlap.intruder.command != nullptr) plan_suspension(index, bus_free_);
  if (overlap.behind.command != nullptr) programs_.insert(overlap.turn, index);
}

void OnfiChannel::poll(std::uint32_t index, Picoseconds at) {
  const Picoseconds ready = read_status(index, polled(index), at);
  if (ready == kNever) return;
  if (overlaps_[index].behind.started)
    overlaps_[index].behind.ready = ready;
  else
    await_data(index, ready);
}

/// Data-in of a cached program.
void OnfiChannel::load_behind(std::uint32_t index, Picoseconds at) {
  Overlap& overlap = overlaps_[index];
  OnfiCommand& command = *overlap.behind.command;
  note_start(index, command, at,
             occupy(index, at, overlap.behind.command_time, overlap.behind.data_time, command.bytes));
  overlap.behind.loaded = true;
  // Its start is final: a loaded cache register excludes suspension.
  overlap.behind.begin = std::max(bus_free_, slots_[index].command->at.array_end) + timing_.overlap().cache_busy;
  if (feed_ != nullptr) [[unlikely]] {
    feed_->add(command, OnfiPhase::ArrayStands, bus_free_);
    feed_->add(command, OnfiPhase::ArrayRuns, overlap.behind.begin);
    feed_->add(command, OnfiPhase::BeginResponse, overlap.behind.begin + overlap.behind.array_time);
  }
}

/// Called at the slot's turn for data-out; true if a cache command must go first.
bool OnfiChannel::move_register(std::uint32_t index, Picoseconds at) {
  Overlap& overlap = overlaps_[index];
  const NandOverlap& rules = timing_.overlap();
  if (overlap.registers.moved) return false;
  overlap.registers.moved = true;
  OnfiCommand* const next = overlap.behind.command;
  if (next == nullptr && !overlap.registers.in_page_register) return false;
  const BusGrant grant = occupy(index, at, next != nullptr ? overlap.behind.command_time : rules.move_command, 0, 0);
  const Picoseconds moved = bus_free_ + rules.cache_busy;
  if (next != nullptr) {
    overlap.behind.started = true;
    note_start(index, *next, at, grant);
    next->at.array_begin = moved;
    if (feed_ != nullptr) [[unlikely]] {
      feed_->add(*next, OnfiPhase::ArrayStands, bus_free_);
      feed_->add(*next, OnfiPhase::ArrayRuns, moved);
    }
    call_die(index, *next, overlap.behind.array_time);
    if (rules.poll_interval != 0)
      polls_.insert(moved + rules.poll_interval, index);
    else
      overlap.behind.ready = next->at.array_end;
  }
  reads_.insert(moved, index);
  return true;
}

/// The array has started the slot's command.
void OnfiChannel::overlapping_started(std::uint32_t index) {
  DieSlot& slot = slots_[index];
  Overlap& overlap = overlaps_[index];
  overlap.running_since = slot.command->at.array_begin;
  overlap.registers.moved = overlap.registers.in_page_register = false;
  watch_array(index, overlap.running_since);
  if (overlap.intruder.command != nullptr) plan_suspension(index, overlap.running_since);
  if (overlap.behind.command != nullptr && slot.command->operation == FlashOperation::Program)
    programs_.insert(overlap.turn, index);
}

/// The slot's command is complete: the command behind it takes its place.
void OnfiChannel::promote(std::uint32_t index) {
  DieSlot& slot = slots_[index];
  Overlap& overlap = overlaps_[index];
  if (overlap.due == Due::Suspend) {
    due_.remove(index);
    overlap.due = Due::None;
  }
  if (overlap.intruder.command != nullptr) {
    static_cast<Work&>(slot) = std::exchange(overlap.intruder, {});
    short_commands_.insert(overlap.turn, index);
    for_each_beside(index, [this](std::uint32_t beside) { short_commands_.insert(overlaps_[beside].turn, beside); });
    return;
  }
  if (overlap.behind.command == nullptr) return;
  const Cached cached = std::exchange(overlap.behind, {});
  static_cast<Work&>(slot) = cached;
  if (cached.loaded) {
    run_array(index, cached.begin, true);
  } else if (cached.started) {
    overlap.registers.in_page_register = true;
    overlap.registers.moved = false;
    // If it is still being polled, the end of the polling makes it ready.
    if (cached.ready != kNever) await_data(index, cached.ready);
  } else if (slot.command->operation == FlashOperation::Read) {
    short_commands_.insert(overlap.turn, index);
  }
}

/// A lower bound, later than `now`, of the next completion if nothing more arrives; decisions in between may delay that
/// completion, and then the channel wakes once too often.
Picoseconds OnfiChannel::completion_bound(Picoseconds now) const {
  Picoseconds first = arrays_.empty() ? kNever : arrays_.front().at;
  if (sending_ != kNone) return std::min(first, bus_free_);
  const NandOverlap& rules = timing_.overlap();
  const Picoseconds bus = std::max(bus_free_, now);
  const auto whole = [](const Work& work) {
    return work.command_time + work.array_time +
           (work.command->operation == FlashOperation::Erase ? 0 : work.select_time + work.data_time);
  };
  // The shortest of the reads that wait for their program or erase to be suspended.
  const auto interrupting = [&](std::uint32_t index) {
    Picoseconds time = whole(overlaps_[index].intruder);
    for_each_beside(index, [&](std::uint32_t beside) { time = std::min(time, whole(slots_[beside])); });
    return time;
  };
  // These wait until the array has worked for suspend_interval since its start or resumption.
  const auto interrupted = [&](std::uint32_t index, Picoseconds running_since) {
    return overlaps_[index].intruder.command == nullptr
               ? kNever
               : running_since + rules.suspend_interval + rules.suspend_command + interrupting(index);
  };
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    const DieSlot& slot = slots_[reads_[i].index];
    first = std::min(first, std::max(bus, reads_[i].at) + slot.select_time + slot.data_time);
  }
  for (std::size_t i = 0; i < short_commands_.size(); ++i) {
    const std::uint32_t index = short_commands_[i].index;
    const DieSlot& slot = slots_[index];
    first = std::min({first, bus + slot.command_time + slot.array_time + slot.data_time,
                      interrupted(index, bus + slot.command_time)});
  }
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const std::uint32_t index = programs_[i].index;
    const DieSlot& slot = slots_[index];
    if (!slot.waits()) continue;
    const Picoseconds begin = bus + slot.command_time + slot.data_time;
    first = std::min({first, begin + slot.array_time, interrupted(index, begin)});
  }
  for (std::size_t i = 0; i < polls_.size(); ++i) {
    first = std::min(first,
                     std::max(polled(polls_[i].index).at.array_end, std::max(bus, polls_[i].at) + rules.status_read));
  }
  for (std::size_t i = 0; i < due_.size(); ++i) {
    const std::uint32_t index = due_[i].index;
    const Overlap& overlap = overlaps_[index];
    const Picoseconds at = std::max(bus, due_[i].at);
    if (overlap.due == Due::Suspend)
      first = std::min(first, at + rules.suspend_command + interrupting(index));
    else if (overlap.due == Due::Begin)
      first = std::min(first, at + whole(slots_[index]));
    else
      first = std::min(
          {first, at + rules.suspend_command + overlap.held.left, interrupted(index, at + rules.suspend_command)});
  }
  return first;
}

}  // namespace flashloom
