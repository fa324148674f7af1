// The log of an FTL's metadata in flash: program units of origin `map`, one after another, in its own erase units.
// MapKeeper defines their content; this class writes them, finds them again and releases them.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/word_lines.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// Source and sink of the log's erase units.
class LogSpace {
 public:
  /// Takes an erased unit for the log (BlockTable::dedicate). Returns kNoBlockNumber if the device is worn down and
  /// none is left. Throws std::runtime_error if none is left though the device is not worn down.
  virtual Task<BlockNumber> take_block() = 0;
  /// Returns a unit that is no longer needed, to be erased.
  virtual void return_block(BlockNumber block) = 0;

 protected:
  ~LogSpace() = default;
};

class MetadataLog {
 public:
  MetadataLog(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, LogSpace& space);

  /// 64-bit words of an entry (a program unit).
  std::uint32_t capacity() const { return capacity_; }
  /// Whether there is room for one more entry and for what makes it safe.
  bool has_room() const { return !blocks_used_.empty() && written_ < end(); }
  /// Erase units of the log now.
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(blocks_used_.size()); }
  /// Erase units of the log on a die, including those to be returned.
  std::uint32_t blocks_on(std::uint32_t die) const;
  /// Entries that a fresh erase unit holds.
  std::uint32_t entries_per_block() const { return pages_ / program_pages_; }

  /// Takes erase units until the log has one with room; false if the device is worn down and none is left. Called by
  /// the coroutine that calls Ftl::write().
  Task<bool> make_room();
  /// Takes `n` fresh erase units, to be written from switch_over() on; not on a worn-down device.
  Task<void> reserve(std::uint32_t n);
  /// Whether the reserved units hold at least as much as `n` units without program failures.
  bool has_reserved(std::uint32_t n) const;
  /// Continues in the reserved erase units. forget_old() then releases the previous ones.
  void switch_over();
  void forget_old();

  /// Writes an entry with words taken out of `content`; returns when it is on flash. There must be room. `safe`: adds
  /// padding so that no later entry can corrupt it (word lines). `beside`: this many words at the end are not
  /// programmed: a mount would find them in other pages of flash, and the model keeps them for it.
  Task<void> append(std::vector<std::uint64_t>& content, bool safe, std::size_t beside = 0);

  /// Recovery: adds an erase unit of the log that was found. It is not written further.
  void adopt(BlockNumber block);
  /// Recovery: the highest entry number found on any erase unit.
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
  /// End of what can be written in the last erase unit; nothing more on a dead die.
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
  std::vector<BlockNumber> blocks_used_;  // the last one is being written
  std::vector<BlockNumber> reserved_;
  std::vector<std::uint32_t> ends_;  // of the reserved ones, in the sense of end_
  std::vector<BlockNumber> old_;
  std::uint32_t written_ = 0;    // pages of the last one with entries, on flash or in flight
  std::uint32_t end_ = 0;        // of the last one: the page whose program fails, or the end
  std::vector<Place> failures_;  // places at which the next entry is tried first, and fails
  std::uint64_t number_ = 0;     // of the last entry
  std::vector<OobWord> words_;
  std::vector<SectorToken> tokens_;
};

}  // namespace flashloom
