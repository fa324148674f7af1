// The map of an FTL that maps blocks, in NVRAM: what each erase unit is for. It is the truth after a power cut, so it
// is written before a block's first program, behind the last of them, and before the erase of what the block replaces.
//
// A record an erase unit: a bit a mapping unit, the newest version of its data, and a header {state, generation,
// logical block}, which is written last and at once (8 bytes):
//  * erased (0);
//  * open: being written for the logical block, or on a device that is worn down, for any (kNoLogicalBlock). A mount
//    reads its spare areas; a unit that is found there counts if its bit is set (a trim clears it), and before what the
//    data block has; of several the newest;
//  * data: the data block of the logical block; a unit is there if its bit is set;
//  * garbage: to be erased, or written with copies alone: a mount need not look.
// The generation is one more (modulo four) than that of the data block when the block was opened. Until the word of the
// data block before is overwritten two claim to be that: the later generation is. An open block of the data block's own
// generation has been merged into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/eraser.hpp"
#include "models/memory/nvram_contents.hpp"

namespace flashloom {

class NvramBlockMap final : public EraseObserver {
 public:
  enum class State : std::uint8_t { Erased, Open, Data, Garbage };
  enum class Use : std::uint8_t {
    Any,
    Copies,  ///< of what stays where it is until the block is whole
  };
  struct Record {
    State state;
    std::uint8_t generation;
    LogicalBlock logical;
  };

  /// That the map of a device takes.
  static std::size_t words(const NandGeometry& geometry);

  /// In context.nvram, from context.nvram_first on.
  explicit NvramBlockMap(const FtlContext& context);

  // --- Each returns when it outlives a power cut.
  /// An erased block is going to be written for a logical block, whose data block is `data` (or kNoBlockNumber).
  Task<void> open(BlockNumber block, LogicalBlock logical, BlockNumber data, Use use);
  /// All programs of `target` are done: it is the data block from now on, with the units whose bits are set in `units`
  /// (64 a word), the newest of this version. kNoBlockNumber: none. Then `given_up` may be erased.
  Task<void> replace(BlockNumber target, const std::vector<std::uint64_t>& units, std::uint64_t version,
                     const std::vector<BlockNumber>& given_up);
  /// An open block is going to take units of any logical block.
  Task<void> share(BlockNumber block);
  /// What clear() has said so far.
  Task<void> cleared();

  /// Of a trim: the units of word `word` of a block's bits are not there any more. To be followed by cleared().
  void clear(BlockNumber block, std::uint32_t word, std::uint64_t units);
  void erased(BlockNumber block) override;

  // --- For a mount.
  /// All of it, as it was when the power went.
  Task<void> read();
  Record record(BlockNumber block) const;
  std::uint64_t version(BlockNumber block) const { return nvram_.read(first_of(block) + bit_words_); }
  bool has(BlockNumber block, std::uint32_t position) const {
    return (nvram_.read(first_of(block) + position / 64) >> (position % 64) & 1) != 0;
  }

 private:
  // One access of the memory: some writes, one behind the other.
  struct Access {
    std::vector<NvramContents::Write> writes;
    std::uint32_t words = 0;
  };
  static constexpr std::uint32_t kWord = 8;  // bytes
  std::size_t first_of(BlockNumber block) const { return first_ + std::size_t{block} * (bit_words_ + 2); }
  std::size_t header_of(BlockNumber block) const { return first_of(block) + bit_words_ + 1; }
  Access& take_access();
  void write(Access& access, std::size_t address, std::span<const std::uint64_t> words);
  void set_state(Access& access, BlockNumber block, State state);
  Task<void> pass(Access& access);

  NvramContents& nvram_;
  Hardware& hardware_;
  std::size_t first_;
  std::uint32_t bit_words_;
  std::uint32_t blocks_;
  std::deque<Access> accesses_;
  std::vector<Access*> free_;
  Access* clearing_ = nullptr;
  std::vector<std::uint64_t> scratch_;
};

}  // namespace flashloom
