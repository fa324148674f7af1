#include "controllers/flash/flash_controller.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/common/timer_queue.hpp"

namespace flashloom {
namespace {

/// Adds what a command did before `now`; instants that are not known are kNever. `data_only`: its command cycles and
/// its array time were another one's, read together with it.
void add_activity(DieActivity& activity, const OnfiCommand& command, bool data_only, Picoseconds now) {
  const auto part = [now](Picoseconds from, Picoseconds to) { return std::min(to, now) - std::min(from, now); };
  activity.transfer += part(command.at.data_begin, command.at.complete);
  if (data_only) return;
  const Picoseconds array = part(command.at.array_begin, command.at.array_end);
  activity.transfer += part(command.at.granted, command.at.array_begin);
  switch (command.operation) {
    case FlashOperation::Read:
      activity.read += array;
      return;
    case FlashOperation::Program:
      activity.program += array;
      return;
    case FlashOperation::Erase:
      activity.erase += array;
      return;
  }
}

}  // namespace

tlm::tlm_sync_enum FlashController::DieState::nb_transport_bw(OnfiCommand& command, tlm::tlm_phase& phase,
                                                              sc_core::sc_time&) {
  if (phase != tlm::END_RESP || current != &command) [[unlikely]]
    throw std::logic_error(std::string(controller->name()) + ": unexpected phase from the channel");
  controller->complete(*this, command);
  return tlm::TLM_COMPLETED;
}

FlashController::FlashController(const sc_core::sc_module_name& name, const NandGeometry& geometry,
                                 const NandTiming& timing, const PolicyChoice& arbitration, FlashCounters& counters)
    : sc_module(name),
      to_channel("to_channel", geometry.dies_per_channel()),
      geometry_(geometry),
      timing_(timing),
      counters_(counters),
      dies_(std::make_unique<DieState[]>(geometry.dies_per_channel())),
      arbitration_(Family<Arbitration>::make(arbitration, {geometry.dies_per_channel()})) {
  for (std::uint32_t i = 0; i < geometry.dies_per_channel(); ++i) {
    dies_[i].controller = this;
    dies_[i].position = i;
    to_channel[i].bind(dies_[i]);
  }
}

void FlashController::submit(std::uint32_t position, OnfiCommand& command) {
  DieState& die = dies_[position];
  const Picoseconds now = kernel_now();
  for_each_of_group(command, [this, now](OnfiCommand& each) {
    each.at.queued = now;
    each.next = nullptr;
    ++pending_;
  });
  if (die.current == nullptr) {
    start(die, command);
    return;
  }
  // A copyback programs in its turn.
  if (command.operation == FlashOperation::Read && command.then == nullptr) {
    die.reads.push(command);
  } else {
    if (die.writes.head == nullptr) die.passed = 0;
    die.writes.push(command);
  }
}

void FlashController::start(DieState& die, OnfiCommand& command) {
  die.current = &command;
  die.data_only = false;
  if (command.then != nullptr) die.then = command.then;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  to_channel[die.position]->nb_transport_fw(command, phase, delay);
}

void FlashController::start_next(DieState& die) {
  const OnfiCommand* const read = die.reads.head;
  const OnfiCommand* const write = die.writes.head;
  if (read == nullptr && write == nullptr) return;
  DieQueue queue = read != nullptr ? DieQueue::Reads : DieQueue::Writes;
  if (read != nullptr && write != nullptr) {
    queue = arbitration_->choose({die.position, kernel_now(), read->at.queued, write->at.queued, die.passed});
  }
  if (queue == DieQueue::Reads) {
    ++die.passed;
    start(die, die.reads.pop());
  } else {
    die.passed = 0;
    start(die, die.writes.pop());
  }
}

void FlashController::complete(DieState& die, OnfiCommand& command) {
  die.current = command.together;
  --pending_;
  add_activity(die.activity, command, die.data_only, command.at.complete);
  if (!die.data_only) {
    QueueWait& wait = waits_[static_cast<std::size_t>(command.operation)];
    const Picoseconds waited = command.at.granted - command.at.queued;
    ++wait.commands;
    wait.total += waited;
    wait.longest = std::max(wait.longest, waited);
  }
  die.data_only = true;
  count_flash(counters_, command, geometry_, timing_);
  if (die.current == nullptr) {
    if (OnfiCommand* const then = std::exchange(die.then, nullptr))
      start(die, *then);
    else
      start_next(die);
  }
  command.completion->on_flash_complete(command);
}

void FlashController::power_cut(Picoseconds at) {
  for (std::uint32_t i = 0; i < to_channel.size(); ++i) {
    DieState& die = dies_[i];
    if (die.current != nullptr) add_activity(die.activity, *die.current, die.data_only, at);
    die.current = die.then = nullptr;
    die.reads = die.writes = {};
    die.passed = 0;
  }
  pending_ = 0;
}

DieActivity FlashController::activity(std::uint32_t position, Picoseconds now) const {
  const DieState& die = dies_[position];
  DieActivity activity = die.activity;
  if (die.current != nullptr) add_activity(activity, *die.current, die.data_only, now);
  const Picoseconds busy = activity.read + activity.program + activity.erase + activity.transfer;
  assert(busy <= now);
  activity.idle = now - busy;
  return activity;
}

}  // namespace flashloom
