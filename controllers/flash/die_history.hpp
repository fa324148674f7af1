// The recent array operations of a die, which explain the waits of commands behind them.
#pragma once

#include <algorithm>
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
    slice(next_++) = {command.at.array_begin, command.at.array_end, work_of(command)};
  }

  /// A read has completed that may have overlapped others of the die. Overlapping time belongs to the operation noted
  /// first, which is also extended to the read's begin if that is earlier.
  void note_overlapping(const OnfiCommand& read) {
    Picoseconds begin = read.at.array_begin;
    const std::size_t oldest = this->oldest();
    for (std::size_t i = next_; i != oldest && slice(i - 1).end > begin; --i) {
      const Picoseconds before = i - 1 == oldest ? 0 : slice(i - 2).end;
      slice(i - 1).begin = std::min(slice(i - 1).begin, std::max(begin, before));
    }
    if (next_ != 0) begin = std::max(begin, slice(next_ - 1).end);
    if (begin < read.at.array_end) slice(next_++) = {begin, read.at.array_end, work_of(read)};
  }

  /// Calls f(work, from, to) for the remembered operations between `begin` and `end`, in time order and without
  /// overlap.
  template <class F>
  void for_each(Picoseconds begin, Picoseconds end, F&& f) const {
    if (begin >= end) return;
    const std::size_t oldest = this->oldest();
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

  static DieWork work_of(const OnfiCommand& command) {
    return command.operation == FlashOperation::Erase  ? DieWork::Erase
           : command.origin != Origin::Host            ? DieWork::Collection
           : command.operation == FlashOperation::Read ? DieWork::HostRead
                                                       : DieWork::HostProgram;
  }
  Slice& slice(std::size_t i) { return slices_[i % kSlices]; }
  std::size_t oldest() const { return next_ < kSlices ? 0 : next_ - kSlices; }

  std::array<Slice, kSlices> slices_{};
  std::size_t next_ = 0;
};

}  // namespace flashloom
