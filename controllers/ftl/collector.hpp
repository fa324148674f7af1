// Foreground garbage collection, die by die and paced by the host's writes: while a die is short of free erase units,
// each program unit of host data on it brings so many copies as keep the die's free space from shrinking, and a quarter
// more. Each copied unit gets its new place on the same die at once; Copier and Eraser act behind. Shared by
// page-mapping FTLs.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/block_table.hpp"
#include "controllers/ftl/copier.hpp"
#include "controllers/ftl/eraser.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/programmer.hpp"
#include "controllers/ftl/unit_map.hpp"

namespace flashloom {

class Collector {
 public:
  Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
            UnitMap& map, FtlStatistics& statistics);

  /// Before a program unit of host data on `die`. Hysteresis: collection begins when no more than gc_low erase units of
  /// the die are free, and ends when gc_high are, or when there is nothing to gain.
  Task<void> pace(std::uint32_t die, std::uint64_t age);
  /// Collects until the die has `blocks` free erase units, or there is nothing to gain.
  Task<void> make_room(std::uint32_t die, std::uint32_t blocks, std::uint64_t age);
  /// An erased block of `bank` for a stream (of another one of its die if it has none), waiting for its erase if need
  /// be. The die must have a free one.
  Task<BlockNumber> open_block(std::uint32_t bank, std::uint32_t stream);
  /// Erases a free block as soon as nothing reads it or copies out of it any more; for a collection, or none.
  void erase_later(BlockNumber block, std::uint64_t collection = 0);
  /// Continues in a partly written block (recovery).
  void adopt(std::uint32_t die, BlockNumber block) { open_[die * streams_] = block; }

  /// Saved states: of a quiescent collector.
  void state(StateArchive& archive, FrontBuffer& front);

  /// Whoever fills program units with host data.
  class DataHolder {
   public:
    /// A free block is needed: newer versions of its units that wait for their program units to fill must go to flash,
    /// or it could never be erased.
    virtual void let_go(BlockNumber block) = 0;
    /// There are such units of the block.
    virtual bool holds(BlockNumber block) const = 0;

   protected:
    ~DataHolder() = default;
  };
  /// Keeps the copies of that many streams apart. `holder` is told before an erase is waited for.
  void separate(std::uint32_t streams, DataHolder& holder) {
    streams_ = streams;
    open_.assign(dies_.size() * streams, kNoBlockNumber);
    holder_ = &holder;
  }
  /// The holder has let something go: erases that had to wait for it may begin. So none is under way that only more
  /// writes could end, and the firmware comes to rest between requests.
  void data_let_go();
  /// Copies go into open blocks of somebody else, `open[bank]` or kNoBlockNumber, and always in whole program units:
  /// none is left for others to wait for.
  void share_blocks(std::vector<BlockNumber>& open) { shared_ = &open; }

 private:
  struct DieState {
    bool active = false;                   ///< short of free erase units
    BlockNumber victim = kNoBlockNumber;   ///< being collected
    std::uint64_t collection = 0;          ///< number of its collection, from 1
    std::uint32_t next_unit = 0;           ///< of it: the next to look at
    std::uint32_t copies_per_program = 0;  ///< its pace: copies for each program unit of host data
    ProgramJob* job = nullptr;             ///< its program unit being filled
  };

  OobWord word_of(BlockNumber block, std::uint32_t unit) const;
  std::uint32_t bank_for_copies(std::uint32_t die) const;
  /// Where the number stands of the open block of `bank`'s die that takes copies of a stream.
  BlockNumber& open_block_for_copies(std::uint32_t bank, std::uint32_t stream) {
    return shared_ == nullptr ? open_[blocks_.die_of_bank(bank) * streams_ + stream] : (*shared_)[bank];
  }
  bool choose_victim(std::uint32_t die, std::uint64_t age);
  Task<void> copy(std::uint32_t die, std::uint32_t units, std::uint64_t age);
  void finish_victim(std::uint32_t die, std::uint64_t age);
  void launch(std::uint32_t die, std::uint64_t age);

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const OobLayout& layout_;
  UnitMap& map_;
  FtlStatistics& statistics_;
  Copier copier_;
  Eraser eraser_;
  std::vector<DieState> dies_;
  std::uint32_t streams_ = 1;
  std::vector<BlockNumber> open_;  // erase units that take copies, by die and stream
  DataHolder* holder_ = nullptr;
  std::vector<BlockNumber> held_;  // to be erased when the holder lets go
  std::vector<BlockNumber>* shared_ = nullptr;
};

}  // namespace flashloom
