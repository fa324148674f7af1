// Dies whose plane groups read independently: which reads they carry out in parallel.
#include <bit>
#include <utility>

#include "controllers/flash/flash_controller.hpp"
#include "models/common/timer_queue.hpp"
#include "models/nand/plane_groups.hpp"

namespace flashloom {

std::span<FlashController::PlaneRead> FlashController::beside(const DieState& die) {
  const std::size_t each = geometry_.plane_groups - 1;
  return std::span(beside_).subspan(die.position * each, each);
}

std::span<const FlashController::PlaneRead> FlashController::beside(const DieState& die) const {
  const std::size_t each = geometry_.plane_groups - 1;
  return std::span(beside_).subspan(die.position * each, each);
}

bool FlashController::reads_beside(const DieState& die, const OnfiCommand& command) const {
  for (const PlaneRead& read : beside(die))
    if (read.command == &command) return true;
  return false;
}

/// A read beside `current`, this one or any (null), changes places with it; false: there is none.
bool FlashController::bring_forward(DieState& die, const OnfiCommand* command) {
  for (PlaneRead& read : beside(die)) {
    if (read.command == nullptr || (command != nullptr && read.command != command)) continue;
    std::swap(read.command, die.current);
    std::swap(read.data_only, die.data_only);
    return true;
  }
  return false;
}

/// `command` has begun to wait (1), or waits no longer (-1).
void FlashController::count_waiting(const DieState& die, const OnfiCommand& command, std::uint32_t step) {
  if (command.operation != FlashOperation::Read || command.then != nullptr) return;
  for (std::uint32_t groups = plane_groups_of(command, geometry_); groups != 0; groups &= groups - 1)
    waiting_reads_[die.position * geometry_.plane_groups + static_cast<std::size_t>(std::countr_zero(groups))] += step;
}

/// Plane groups occupied by the die's reads, and plane groups that waiting reads need.
std::pair<std::uint32_t, std::uint32_t> FlashController::groups_taken_and_wanted(const DieState& die) const {
  std::uint32_t taken = 0;
  if (die.current != nullptr && die.current->operation == FlashOperation::Read)
    taken |= plane_groups_of(*die.current, geometry_);
  if (die.intruder != nullptr) taken |= plane_groups_of(*die.intruder, geometry_);
  for (const PlaneRead& read : beside(die))
    if (read.command != nullptr) taken |= plane_groups_of(*read.command, geometry_);
  if (waiting_reads_.empty()) return {taken, 1};
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < geometry_.plane_groups; ++i)
    if (waiting_reads_[die.position * geometry_.plane_groups + i] != 0) wanted |= 1U << i;
  return {taken, wanted};
}

/// The next read that may begin beside those that the die has. `suspended`: the program or erase that they interrupt,
/// or null.
FlashController::Next FlashController::next_read(const DieState& die, const OnfiCommand* suspended) const {
  if (die.waiting == 0) return {};
  auto [taken, wanted] = groups_taken_and_wanted(die);
  if ((wanted & ~taken) == 0) return {};
  if (die.held != nullptr && kernel_now() - die.held->at.array_end >= timing_.overlap().suspend_hold) return {};
  for (std::uint32_t lanes = die.waiting; lanes != 0 && (wanted & ~taken) != 0;) {
    const std::uint32_t lane = choose(die, lanes);
    lanes &= ~(1U << lane);
    if (suspended != nullptr && !arbitration_->suspends(lane_of(*suspended), lane)) return {};
    OnfiCommand* before = nullptr;
    for (OnfiCommand* each = die.lanes[lane].first; each != nullptr; before = std::exchange(each, each->next)) {
      if (each->operation != FlashOperation::Read || each->then != nullptr) return {};  // waits for the whole die
      const std::uint32_t groups = plane_groups_of(*each, geometry_);
      if ((groups & taken) == 0) return {Next::Kind::Beside, lane, before};
      taken |= groups;
      if ((wanted & ~taken) == 0) break;
    }
  }
  return {};
}

/// A read for other plane groups of a die that reads, or is about to.
FlashController::Next FlashController::plane_read(const DieState& die) const {
  if (die.current == nullptr || die.then != nullptr || die.behind != nullptr) return {};
  const OnfiCommand* const suspended = die.held != nullptr ? die.held : die.intruder != nullptr ? die.current : nullptr;
  return suspended == nullptr && die.current->operation != FlashOperation::Read ? Next{} : next_read(die, suspended);
}

void FlashController::put_beside(DieState& die, OnfiCommand& read) {
  for (PlaneRead& place : beside(die)) {
    if (place.command != nullptr) continue;
    place = {&read, false};
    return;
  }
}

}  // namespace flashloom
