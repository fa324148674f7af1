// The log of an FTL's metadata in flash: program units of the origin `map`, one after the other, in erase units of its
// own. What they say is MapKeeper's; here is how they are written, found again and given back.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/word_lines.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// Where the log's erase units come from and go to.
class LogSpace {
 public:
  /// An erased one, to be the log's (BlockTable::dedicate). kNoBlockNumber: the device is worn down, and none is left.
  /// Throws std::runtime_error if there is none though the device is not worn down.
  virtual Task<BlockNumber> take_block() = 0;
  /// One that is no longer needed: to be erased.
  virtual void return_block(BlockNumber block) = 0;

 protected:
  ~LogSpace() = default;
};

class MetadataLog {
 public:
  MetadataLog(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, LogSpace& space);

  /// Words of 64 bits that one entry (a program unit) holds.
  std::uint32_t capacity() const { return capacity_; }
  /// There is room for one more entry, and for what makes it safe.
  bool has_room() const { return !blocks_used_.empty() && written_ < end(); }
  /// Erase units that the log takes now.
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(blocks_used_.size()); }
  /// Erase units of the log on a die, those that are to be given back included.
  std::uint32_t blocks_on(std::uint32_t die) const;
  /// Entries that a fresh erase unit holds.
  std::uint32_t entries_per_block() const { return pages_ / program_pages_; }

  /// Takes erase units until the log has one with room; false: the device is worn down, and none is left. Called by the
  /// coroutine that calls Ftl::write().
  Task<bool> make_room();
  /// Takes `n` fresh erase units, to write on in from switch_over() on; not on a device that is worn down.
  Task<void> reserve(std::uint32_t n);
  /// Those that are reserved hold as much as `n` in which no program fails.
  bool has_reserved(std::uint32_t n) const;
  /// Goes on in the reserved erase units. Those written before become obsolete with forget_old().
  void switch_over();
  void forget_old();

  /// Writes an entry, which it takes out of `content`; returns when it is on flash. There must be room. `safe`: no
  /// later entry may hurt it any more (word lines). `beside`: so many words at its end are not in it: they are what a
  /// mount would find in other pages of flash, and are kept here for it.
  Task<void> append(std::vector<std::uint64_t>& content, bool safe, std::size_t beside = 0);

  /// Recovery: an erase unit of the log has been found. It is not written on.
  void adopt(BlockNumber block);
  /// The highest number of an entry that was found, on whatever erase unit.
  void continue_after(std::uint64_t number) { number_ = number; }

  /// Saved states: of a quiescent log.
  void state(StateArchive& archive);

 private:
  struct Place {
    BlockNumber block;
    std::uint32_t page;
    void state(StateArchive& archive) { archive(block, page); }
  };
  Task<void> program(BlockNumber block, std::uint32_t page, bool padding, bool fails = false);
  void begin_block();
  void take(BlockNumber block);
  /// Of what can be written of the last one: on a dead die nothing more.
  std::uint32_t end() const { return blocks_.dead(blocks_.die_of(blocks_used_.back())) ? written_ : end_; }

  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  LogSpace& space_;
  WordLines word_lines_;
  std::uint32_t pages_;  // of an erase unit
  std::uint32_t program_pages_;
  std::uint32_t units_;  // of a program unit
  std::uint32_t capacity_;
  std::vector<BlockNumber> blocks_used_;  // the last is written on
  std::vector<BlockNumber> reserved_;
  std::vector<std::uint32_t> ends_;  // of the reserved ones, as end_
  std::vector<BlockNumber> old_;
  std::uint32_t written_ = 0;  // pages of the last one that have their entry, on flash or on its way
  std::uint32_t end_ = 0;      // of the last one: the page whose program fails, or behind the last
  std::vector<Place> failures_;  // where the next entry is programmed first, and fails
  std::uint64_t number_ = 0;   // of the last entry
  std::vector<OobWord> words_;
  std::vector<SectorToken> tokens_;
};

}  // namespace flashloom
