// The cycles in which a sequential stream of new units, each written once, uses the slots of a data buffer: they give
// the buffer's state after any number of units without a simulation of each.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/eviction.hpp"

namespace flashloom {

class StreamCycle {
 public:
  /// `room`, `high`, `low`: of a BufferPart. `together`: units evicted at a time, into program units of
  /// `units_per_program`, which free their slots when they are full.
  StreamCycle(std::uint32_t room, std::uint32_t high, std::uint32_t low, std::uint32_t together,
              std::uint32_t units_per_program);

  /// False: a buffer of this shape has no cycles.
  bool exists() const { return units_ != 0; }
  /// Units of a cycle. It begins when no program unit is being filled, and `resident` units are dirty.
  std::uint64_t units() const { return units_; }
  std::uint32_t resident() const { return resident_; }
  /// Units are evicted by the watermark, not for lack of room.
  bool by_watermark() const { return by_watermark_; }
  /// Units of the stream within which every slot that it uses is taken and freed again.
  std::uint64_t turn() const { return units_ + resident_ + 2 * (std::uint64_t{burst_} + units_per_program_); }

  /// Where the slots are after so many cycles: `resident`, in the order in which they will leave, and `free`, of which
  /// the last is taken first.
  void pass(std::uint64_t cycles, std::vector<Slot>& resident, std::vector<Slot>& free) const;

 private:
  std::uint32_t room_;
  std::uint32_t high_;
  std::uint32_t units_per_program_;
  bool by_watermark_;
  std::uint32_t burst_;  // units that leave at a time
  std::uint32_t resident_ = 0;
  std::uint64_t units_ = 0;
};

}  // namespace flashloom
