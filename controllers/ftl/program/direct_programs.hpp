// Program units of whole units that need no waiting: they need no job. Nearly all are so on the instant clock.
#pragma once

#include <algorithm>
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

  /// `possible`: a program needs no follow-up.
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
  /// Allots the next program unit to these words; returns the physical unit of the first.
  PhysicalUnit allot(BlockNumber block, std::span<const OobWord> words) {
    const std::uint32_t unit = blocks_.programs().give_out(block, numbers_.take(1)) * units_per_page_;
    std::copy(words.begin(), words.end(), blocks_[block].pending->oob.begin() + unit);
    return block * blocks_.units_per_block() + unit;
  }
  /// Allots consecutive program units to copies, which fill them; returns the physical unit of the first.
  PhysicalUnit allot(BlockNumber block, std::span<const Copied> units) {
    const std::uint32_t count = programs_of(units);
    std::uint32_t unit = blocks_.programs().give_out(block, numbers_.take(count), count) * units_per_page_;
    const PhysicalUnit place = block * blocks_.units_per_block() + unit;
    PendingPages& pending = *blocks_[block].pending;
    for (const Copied& copied : units) {
      pending.oob[unit] = copied.word;
      pending.source[unit++] = copied.source;
    }
    return place;
  }
  /// Programs the program units of `block` that were allotted last. Copies are first read out of `from`.
  void write(BlockNumber block, Origin origin, const OobWord* words, SectorToken* tokens);
  void copy(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units);

 private:
  std::uint32_t programs_of(std::span<const Copied> units) const {
    return static_cast<std::uint32_t>(units.size()) / units_per_program_;
  }
  OnfiCommand& aim(BlockNumber block, Origin origin, std::uint32_t programs);
  void programmed(BlockNumber block, Origin origin, std::uint32_t programs);

  ProgramNumbers& numbers_;
  const ProgramObservers& observers_;
  bool possible_;
  OnfiCommand command_;
  OnfiCommand read_;
  std::vector<OobWord> words_;  // buffer for what is read
  std::vector<SectorToken> tokens_;
};

}  // namespace flashloom
