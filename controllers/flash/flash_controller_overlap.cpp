// Dies that have several commands at a time: cache commands and suspension.
#include <algorithm>
#include <array>
#include <utility>

#include "controllers/flash/flash_controller.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// `command` completes before `current`, which takes its place among the others: a read of other planes, or one that
/// was handed over while the die worked for another command, and has suspended that.
bool FlashController::overtakes(DieState& die, const OnfiCommand& command) {
  if (die.intruder != &command && !reads_beside(die, command)) return false;
  if (die.intruder != nullptr) {
    die.held = std::exchange(die.current, std::exchange(die.intruder, nullptr));
    die.data_only = false;
    ++(die.held->operation == FlashOperation::Program ? overlap_counts_.suspended_programs
                                                      : overlap_counts_.suspended_erases);
  }
  if (die.current != &command) bring_forward(die, &command);
  return true;
}

/// Hands a busy die what it may have beside its command.
void FlashController::send_more(DieState& die) {
  send_second(die);
  if (!beside_.empty()) send_plane_reads(die);
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
  if (die.intruder != nullptr || die.behind != nullptr) {
    die.current = std::exchange(die.intruder != nullptr ? die.intruder : die.behind, nullptr);
    die.data_only = false;
    die.suspensions = 0;
    return send_more(die);
  }
  const bool others = bring_forward(die, nullptr);
  if (die.held != nullptr) {
    ++overlap_counts_.interrupting_reads;
    if (others) return send_more(die);
    if (OnfiCommand* const read = next_read(die, die.held)) {
      start(die, *read);
      return send_more(die);
    }
    die.current = std::exchange(die.held, nullptr);
    die.data_only = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    to_channel[die.position]->nb_transport_fw(*die.current, phase, delay);
  } else if (!others) {
    die.suspensions = 0;
    start_next(die);
  }
  send_more(die);
}

/// What the die has done until `now`, from the instant that `activity` knows of: its commands of that time are still
/// there.
DieActivity FlashController::overlapping(const DieState& die, Picoseconds now) const {
  struct Span {
    Picoseconds from, to;
    Picoseconds time() const { return from < to ? to - from : 0; }
  };
  const auto clipped = [&die, now](Picoseconds from, Picoseconds to) {
    return Span{std::max(from, die.booked_until), std::min(to, now)};
  };
  const auto for_each = [this, &die](auto&& f) {
    for (const OnfiCommand* const command : {die.current, die.behind, die.intruder, die.held})
      if (command != nullptr) f(*command);
    for (const PlaneRead& read : beside(die))
      if (read.command != nullptr) f(*read.command);
  };
  DieActivity activity = die.activity;
  // Time in the array: sorted by its begin, then no instant twice.
  std::array<std::pair<Span, Picoseconds*>, kMostCommands> arrays;
  std::size_t count = 0;
  for_each([&](const OnfiCommand& command) {
    const FlashInstants& at = command.at;
    const Span span = clipped(at.suspended != 0 ? at.resumed : at.array_begin, at.array_end);
    if (span.time() == 0) return;
    std::size_t i = count++;
    for (; i != 0 && arrays[i - 1].first.from > span.from; --i) arrays[i] = arrays[i - 1];
    arrays[i] = {span, command.operation == FlashOperation::Read      ? &activity.read
                       : command.operation == FlashOperation::Program ? &activity.program
                                                                      : &activity.erase};
  });
  Picoseconds covered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto& [span, share] = arrays[i];
    span.from = std::max(span.from, covered);
    *share += span.time();
    covered = std::max(covered, span.to);
  }
  // What is on the bus meanwhile does not count.
  const auto add_transfer = [&](Picoseconds from, Picoseconds to) {
    const Span span = clipped(from, to);
    Picoseconds time = span.time();
    for (std::size_t i = 0; time != 0 && i < count; ++i)
      time -= Span{std::max(span.from, arrays[i].first.from), std::min(span.to, arrays[i].first.to)}.time();
    activity.transfer += time;
  };
  for_each([&](const OnfiCommand& command) {
    add_transfer(command.at.granted, command.at.loaded);
    if (command.operation == FlashOperation::Read) add_transfer(command.at.data_begin, command.at.complete);
  });
  return activity;
}

}  // namespace flashloom
