#include "controllers/buffer/stream_cycle.hpp"

#include <deque>
#include <numeric>

namespace flashloom {

StreamCycle::StreamCycle(std::uint32_t room, std::uint32_t high, std::uint32_t low, std::uint32_t together,
                         std::uint32_t units_per_program)
    : room_(room), high_(high), units_per_program_(units_per_program), by_watermark_(high < room), burst_(together) {
  if (by_watermark_) burst_ = (high + 1 - low + together - 1) / together * together;
  const std::uint32_t most = by_watermark_ ? high + 1 : room;
  if (burst_ > most) return;  // the last ones would leave alone
  resident_ = by_watermark_ ? most - burst_ : room;
  units_ = std::lcm(std::uint64_t{burst_}, std::uint64_t{units_per_program});
}

// All cycles permute the slots alike. So one cycle is carried out on positions, and its permutation is raised to the
// power of the number of cycles.
void StreamCycle::pass(std::uint64_t cycles, std::vector<Slot>& resident, std::vector<Slot>& free) const {
  std::vector<Slot> slots = resident;
  slots.insert(slots.end(), free.begin(), free.end());
  std::vector<std::uint32_t> from(slots.size());  // place from which the slot comes that one cycle brings to a place
  std::iota(from.begin(), from.end(), 0U);
  std::deque<std::uint32_t> queue(from.begin(), from.begin() + resident_);
  std::vector<std::uint32_t> stack(from.begin() + resident_, from.end());
  std::vector<std::uint32_t> filling;
  const auto leave = [&] {
    for (std::uint32_t i = 0; i < burst_; ++i) {
      filling.push_back(queue.front());
      queue.pop_front();
      if (filling.size() != units_per_program_) continue;
      stack.insert(stack.end(), filling.begin(), filling.end());
      filling.clear();
    }
  };
  for (std::uint64_t unit = 0; unit < units_; ++unit) {
    if (!by_watermark_ && queue.size() == room_) leave();
    queue.push_back(stack.back());
    stack.pop_back();
    if (by_watermark_ && queue.size() > high_) leave();
  }
  from.assign(queue.begin(), queue.end());
  from.insert(from.end(), stack.begin(), stack.end());

  std::vector<Slot> after(slots.size());
  std::vector<bool> seen(slots.size());
  for (std::uint32_t start = 0; start < from.size(); ++start) {
    if (seen[start]) continue;
    std::vector<std::uint32_t> round;
    for (std::uint32_t place = start; !seen[place]; place = from[place]) {
      seen[place] = true;
      round.push_back(place);
    }
    for (std::size_t i = 0; i < round.size(); ++i)
      after[round[i]] = slots[round[(i + cycles % round.size()) % round.size()]];
  }
  resident.assign(after.begin(), after.begin() + resident_);
  free.assign(after.begin() + resident_, after.end());
}

}  // namespace flashloom
