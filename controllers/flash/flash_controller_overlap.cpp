// Dies that have several commands at a time: cache commands and suspension.
#include <algorithm>
#include <array>
#include <utility>

#include "controllers/flash/flash_controller.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// `command` completes before `current`, and swaps places with it: a read of other planes, or a read that has suspended
/// the command which the die was working on.
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

/// Hands further commands to a busy die; with a governor the governor decides.
void FlashController::send_more(DieState& die) {
  if (governor_ != nullptr) return governor_->ask(die.number());
  if (const Next another = second(die); another && !shut()) hand_over(die, another);
  if (beside_.empty()) return;
  for (Next read = plane_read(die); read && !shut(); read = plane_read(die)) hand_over(die, read);
}

/// A second command for a busy die, if its first command and the waiting ones allow it.
FlashController::Next FlashController::second(const DieState& die) const {
  if (die.current == nullptr || die.waiting == 0 || die.behind != nullptr || die.intruder != nullptr ||
      die.held != nullptr || die.then != nullptr)
    return {};
  const NandOverlap& rules = timing_.overlap();
  const OnfiCommand& running = *die.current;
  const std::uint32_t lane = choose(die);
  const OnfiCommand& candidate = *die.lanes[lane].first;
  const bool read = candidate.operation == FlashOperation::Read;
  if (candidate.bytes == 0 || candidate.then != nullptr) return {};
  if (running.operation == candidate.operation) {
    if (running.bytes == 0 || !(read ? rules.cache_read : rules.cache_program)) return {};
    if (running.address == candidate.address && is_single_read(running) && is_single_read(candidate)) return {};
    return {Next::Kind::Behind, lane};
  }
  if (read && rules.suspends(running.operation) && die.suspensions < rules.suspend_limit &&
      (running.operation == FlashOperation::Erase || running.bytes != 0) &&
      arbitration_->suspends(lane_of(running), lane))
    return {Next::Kind::Intruder, lane};
  return {};
}

/// The command that a governed die would start or resume now.
FlashController::Next FlashController::next(const DieState& die) const {
  using Kind = Next::Kind;
  if (die.current != nullptr) {
    const Next another = second(die);
    return another || beside_.empty() ? another : plane_read(die);
  }
  if (die.then != nullptr) return {Kind::Then};
  if (die.held != nullptr) {
    const Next read = next_read(die, die.held);
    return read ? Next{Kind::First, read.lane, read.before} : Next{Kind::Resumed};
  }
  return die.waiting == 0 ? Next{} : Next{Kind::First, choose(die)};
}

GovernedDie::Candidate FlashController::candidate(const DieState& die) const {
  const Next what = next(die);
  switch (what.kind) {
    case Next::Kind::Nothing:
      return {};
    case Next::Kind::Then:
      return {die.then, lane_of(*die.then)};
    case Next::Kind::Resumed:
      return {die.held, lane_of(*die.held), true};
    default:
      break;
  }
  OnfiCommand* const command = what.before == nullptr ? die.lanes[what.lane].first : what.before->next;
  const bool follows = what.kind == Next::Kind::Behind && die.current->at.array_end != kNever;
  return {command, what.lane, false, follows ? die.current->at.array_end + timing_.overlap().cache_busy : 0};
}

void FlashController::hand_over(DieState& die, const Next& next) {
  using Kind = Next::Kind;
  switch (next.kind) {
    case Kind::Nothing:
      return;
    case Kind::Then:
      return start(die, *std::exchange(die.then, nullptr));
    case Kind::Resumed:
      return resume(die);
    default:
      break;
  }
  OnfiCommand& command = pop(die, next.lane, next.before);
  switch (next.kind) {
    case Kind::First:
      return start(die, command);
    case Kind::Behind:
      ++(command.operation == FlashOperation::Read ? overlap_counts_.cached_reads : overlap_counts_.cached_programs);
      die.behind = &command;
      break;
    case Kind::Intruder:
      ++die.suspensions;
      die.intruder = &command;
      break;
    default:
      ++overlap_counts_.plane_reads;
      put_beside(die, command);
      break;
  }
  send(die, command);
}

void FlashController::resume(DieState& die) {
  die.current = std::exchange(die.held, nullptr);
  die.data_only = false;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  to_channel[die.position]->nb_transport_fw(*die.current, phase, delay);
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
    if (!others && governor_ == nullptr) {
      if (const Next read = next_read(die, die.held); read && !shut())
        start(die, pop(die, read.lane, read.before));
      else
        resume(die);
    }
  } else if (!others) {
    die.suspensions = 0;
    if (governor_ == nullptr) start_next(die);
  }
  send_more(die);
}

/// Activity of the die from `booked_until` to `now`; all its commands of that time are still known.
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
  // Bus time during array time does not count.
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
