// What a die has done of late: whose array operations those wait for that come behind them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/types.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Kinds of array operations that others wait for. Collection: reads and programs of any other origin than the host.
enum class DieWork : std::uint8_t { HostRead, HostProgram, Collection, Erase };
inline constexpr std::size_t kDieWorks = 4;

/// The newest array operations of a die, in the order in which they completed.
class DieHistory {
 public:
  /// `command` has completed.
  void note(const OnfiCommand& command) {
    const DieWork work = command.operation == FlashOperation::Erase  ? DieWork::Erase
                         : command.origin != Origin::Host            ? DieWork::Collection
                         : command.operation == FlashOperation::Read ? DieWork::HostRead
                                                                     : DieWork::HostProgram;
    slices_[next_++ % kSlices] = {command.at.array_begin, command.at.array_end, work};
  }

  /// Calls f(work, from, to) for what it did between `begin` and `end`, in time order, no instant twice; instants that
  /// no remembered operation covers are left out.
  template <class F>
  void for_each(Picoseconds begin, Picoseconds end, F&& f) const {
    if (begin >= end) return;
    const std::size_t oldest = next_ < kSlices ? 0 : next_ - kSlices;
    std::size_t first = next_;  // they are in the order of their ends
    while (first != oldest && slices_[(first - 1) % kSlices].end > begin) --first;
    for (std::size_t i = first; i < next_ && begin < end; ++i) {
      const Slice& slice = slices_[i % kSlices];
      if (slice.end <= begin || slice.begin >= end) continue;
      const Picoseconds from = slice.begin > begin ? slice.begin : begin, to = slice.end < end ? slice.end : end;
      f(slice.work, from, to);
      begin = to;
    }
  }

 private:
  static constexpr std::size_t kSlices = 128;
  struct Slice {
    Picoseconds begin = 0, end = 0;
    DieWork work = DieWork::HostRead;
  };
  std::array<Slice, kSlices> slices_{};
  std::size_t next_ = 0;
};

}  // namespace flashloom
