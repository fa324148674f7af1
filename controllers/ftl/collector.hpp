// Foreground garbage collection, die by die: chooses victims when a die runs short of free erase units, gives each valid unit
// its new place on the same die at once, and lets one worker a die copy and erase behind. Shared by page-mapping FTLs.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/programmer.hpp"
#include "controllers/ftl/unit_map.hpp"

namespace flashloom {

class Collector {
 public:
  Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
            UnitMap& map, FtlStatistics& statistics);

  /// Hysteresis: with fewer than gc_low + 1 free erase units on `die`, collects until there are gc_high, or until no victim is worth it.
  Task<void> make_room(std::uint32_t die, std::uint64_t age);
  /// An erased block of `die`, waiting for its erase if need be. There must be a free one.
  Task<BlockNumber> open_block(std::uint32_t die);
  /// Erases a free block as soon as nothing reads it or copies out of it any more.
  void erase_later(BlockNumber block);
  /// Continues in a partly written block (recovery).
  void adopt(std::uint32_t die, BlockNumber block) { dies_[die].open = block; }

  static constexpr BlockNumber kNone = ~BlockNumber{0};

 private:
  struct DieState {
    BlockNumber open = kNone;           ///< erase unit that takes the copies
    ProgramJob* job = nullptr;          ///< its program unit being filled
    std::vector<ProgramJob*> work;      ///< filled ones, in order; `next_work` is the next to gather
    std::size_t next_work = 0;
    bool working = false;
    std::uint32_t programming = 0;      ///< jobs between gathering and durable
  };

  Task<void> collect(std::uint32_t die, BlockNumber victim, std::uint64_t age);
  void launch(std::uint32_t die, std::uint64_t age);
  Task<void> work(std::uint32_t die);
  Task<void> program(std::uint32_t die, ProgramJob& job);
  Task<void> erase(BlockNumber block);

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const OobLayout& layout_;
  UnitMap& map_;
  FtlStatistics& statistics_;
  std::vector<DieState> dies_;
};

}  // namespace flashloom
