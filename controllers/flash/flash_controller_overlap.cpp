// Dies that have two commands at a time: cache commands and suspension.
#include <algorithm>
#include <utility>

#include "controllers/flash/flash_controller.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// A read that was handed over while the die worked for another command has completed first: the die has suspended
/// that command.
bool FlashController::interrupts(DieState& die, const OnfiCommand& command) {
  if (die.intruder != &command) return false;
  die.held = std::exchange(die.current, std::exchange(die.intruder, nullptr));
  die.data_only = false;
  ++(die.held->operation == FlashOperation::Program ? overlap_counts_.suspended_programs
                                                    : overlap_counts_.suspended_erases);
  return true;
}

/// Hands a busy die a second command, if its first command and the waiting ones allow it.
void FlashController::send_second(DieState& die) {
  if (die.current == nullptr || die.waiting == 0 || die.behind != nullptr || die.intruder != nullptr ||
      die.held != nullptr || die.then != nullptr)
    return;
  const NandOverlap& rules = timing_.overlap();
  const OnfiCommand& running = *die.current;
  const std::uint32_t lane = choose(die);
  const OnfiCommand& candidate = *die.lanes[lane].first;
  const bool read = candidate.operation == FlashOperation::Read;
  if (candidate.bytes == 0 || candidate.then != nullptr || shut()) return;
  if (running.operation == candidate.operation) {
    if (running.bytes == 0 || !(read ? rules.cache_read : rules.cache_program)) return;
    ++(read ? overlap_counts_.cached_reads : overlap_counts_.cached_programs);
    die.behind = &pop(die, lane);
    send(die, *die.behind);
  } else if (read && rules.suspends(running.operation) && die.suspensions < rules.suspend_limit &&
             (running.operation == FlashOperation::Erase || running.bytes != 0) &&
             arbitration_->suspends(lane_of(running), lane)) {
    ++die.suspensions;
    die.intruder = &pop(die, lane);
    send(die, *die.intruder);
  }
}

/// The die's command, or group of pages, is complete.
void FlashController::go_on(DieState& die) {
  if (die.held != nullptr) {
    ++overlap_counts_.interrupting_reads;
    const Picoseconds stood = kernel_now() - die.held->at.array_end;
    if (die.waiting != 0 && stood < timing_.overlap().suspend_hold && !shut()) {
      const std::uint32_t lane = choose(die);
      const OnfiCommand& candidate = *die.lanes[lane].first;
      if (candidate.operation == FlashOperation::Read && candidate.then == nullptr &&
          arbitration_->suspends(lane_of(*die.held), lane))
        return start(die, pop(die, lane));
    }
    die.current = std::exchange(die.held, nullptr);
    die.data_only = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    to_channel[die.position]->nb_transport_fw(*die.current, phase, delay);
  } else if (die.intruder != nullptr || die.behind != nullptr) {
    die.current = std::exchange(die.intruder != nullptr ? die.intruder : die.behind, nullptr);
    die.data_only = false;
    die.suspensions = 0;
  } else {
    die.suspensions = 0;
    start_next(die);
  }
  send_second(die);
}

/// Bus time of a command before `now` during which the die's array worked for its other command. Such time counts as
/// array time only.
Picoseconds FlashController::overlapped(const DieState& die, const OnfiCommand& command, bool data_only,
                                        Picoseconds now) const {
  const auto common = [now](Picoseconds from, Picoseconds to, Picoseconds array_from, Picoseconds array_to) {
    const Picoseconds begin = std::max(from, array_from);
    const Picoseconds end = std::min({to, array_to, now});
    return begin < end ? end - begin : 0;
  };
  Picoseconds sum = 0;
  // Command and data-in cycles beside the array of the one before.
  const Picoseconds before =
      &command == die.behind ? std::max(die.array_until, die.current->at.array_end) : die.array_until;
  if (!data_only && command.at.granted != kNever && command.operation == FlashOperation::Program)
    sum += common(command.at.granted, command.at.loaded, 0, before);
  // Data-out beside the array of the one behind.
  if (command.operation == FlashOperation::Read && die.behind != nullptr && &command != die.behind &&
      die.behind->operation == FlashOperation::Read && die.behind->at.array_begin != kNever)
    sum += common(command.at.data_begin, command.at.complete, die.behind->at.array_begin, die.behind->at.array_end);
  return sum;
}

}  // namespace flashloom
