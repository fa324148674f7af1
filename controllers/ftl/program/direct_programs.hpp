// Program units of one mapping unit that need no waiting: they need no job. Nearly all are so on the instant clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/program/program_numbers.hpp"
#include "controllers/ftl/program/program_observer.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

class DirectPrograms : private ProgramPart {
 public:
  using Copied = FlashPort::Copied;

  /// `possible`: program units hold one unit, and a program needs no follow-up.
  DirectPrograms(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, ProgramNumbers& numbers,
                 const ProgramObservers& observers, bool possible);

  /// Whether such program units exist on this clock.
  bool any() const { return possible_ && context_.hardware.flash().synchronous() && !fault(Fault::StaleCopy); }
  /// Whether the open block's next program unit is one, if its units are whole.
  bool suit(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return any() && info.durable == info.allocated && info.submitted == info.allocated &&
           (info.allocated != 0 || blocks_.waits().before_first_program(block) == nullptr);
  }
  /// Allots the next program unit to this content; returns its physical unit.
  PhysicalUnit allot(BlockNumber block, OobWord word) {
    const std::uint32_t page = blocks_.programs().give_out(block, numbers_.take(1));
    blocks_[block].pending->oob[page] = word;
    return block * blocks_.units_per_block() + page;
  }
  /// Allots consecutive program units to copies; returns the physical unit of the first.
  PhysicalUnit allot(BlockNumber block, std::span<const Copied> units) {
    const auto count = static_cast<std::uint32_t>(units.size());
    std::uint32_t page = blocks_.programs().give_out(block, numbers_.take(count), count);
    const PhysicalUnit place = block * blocks_.units_per_block() + page;
    PendingPages& pending = *blocks_[block].pending;
    for (const Copied& unit : units) {
      pending.oob[page] = unit.word;
      pending.source[page++] = unit.source;
    }
    return place;
  }
  /// Programs the last allotted program units of `block`. Copies are first read out of `from`.
  void write(BlockNumber block, Origin origin, OobWord word, SectorToken* tokens);
  void copy(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units);

 private:
  OnfiCommand& aim(BlockNumber block, Origin origin, std::uint32_t units);
  void programmed(BlockNumber block, Origin origin, std::uint32_t units);

  ProgramNumbers& numbers_;
  const ProgramObservers& observers_;
  bool possible_;
  OnfiCommand command_;
  OnfiCommand read_;
  OobWord word_ = 0;  // buffer for the read
  std::vector<SectorToken> tokens_;
};

}  // namespace flashloom
