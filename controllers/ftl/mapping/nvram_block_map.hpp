// The map of a block-mapped FTL in NVRAM: the role of each erase unit. It is authoritative after a power cut, so it is
// written before a block's first program, after its last one, and before the erase of the block that it replaces.
//
// Each erase unit has a record: a bit per mapping unit, the newest version of its data, and a header {state,
// generation, logical block}, which is written last and atomically (8 bytes):
//  * erased (0);
//  * open: being written for the logical block or, on a worn-down device, for any (kNoLogicalBlock). A mount reads its
//    spare areas; a unit found there counts if its bit is set (a trim clears it), and has priority over the data block;
//    of several the newest counts;
//  * data: the data block of the logical block; a unit is present if its bit is set;
//  * garbage: to be erased, or being written with copies only: a mount ignores it.
// The generation of a block is one more (modulo four) than that of the data block at its opening. Until the previous
// data block's header is overwritten, two blocks claim to be the data block: the later generation is it. An open block
// of the data block's own generation has already been merged into it.
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
    Copies,  ///< whose sources stay valid until the block is complete
  };
  struct Record {
    State state;
    std::uint8_t generation;
    LogicalBlock logical;
  };

  /// NVRAM words that the map of a device takes.
  static std::size_t words(const NandGeometry& geometry);

  /// The map in context.nvram, from word context.nvram_first on.
  explicit NvramBlockMap(const FtlContext& context);

  // --- Each returns when its change survives power cuts.
  /// An erased block is about to be written for a logical block, whose data block is `data` (or kNoBlockNumber).
  Task<void> open(BlockNumber block, LogicalBlock logical, BlockNumber data, Use use);
  /// All programs of `target` are done: it becomes the data block, with the units whose bits are set in `units` (64 a
  /// word) and `version` as the newest. kNoBlockNumber: no new data block. Then `given_up` may be erased.
  Task<void> replace(BlockNumber target, const std::vector<std::uint64_t>& units, std::uint64_t version,
                     const std::vector<BlockNumber>& given_up);
  /// An open block is about to take units of any logical block.
  Task<void> share(BlockNumber block);
  /// Waits for all clear() calls so far.
  Task<void> cleared();

  /// For a trim: clears these unit bits in word `word` of a block's bits. To be followed by cleared().
  void clear(BlockNumber block, std::uint32_t word, std::uint64_t units);
  void erased(BlockNumber block) override;

  // --- For a mount.
  /// Reads the whole map as the power cut left it.
  Task<void> read();
  Record record(BlockNumber block) const;
  std::uint64_t version(BlockNumber block) const { return nvram_.read(first_of(block) + bit_words_); }
  bool has(BlockNumber block, std::uint32_t position) const {
    return (nvram_.read(first_of(block) + position / 64) >> (position % 64) & 1) != 0;
  }

 private:
  // One memory access: several consecutive writes.
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
