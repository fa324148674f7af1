// Common base of block-mapped FTLs (LogicalBlocks). Derived FTLs add other blocks beside the data blocks (log blocks,
// replacement blocks).
//
// Trims go to the metadata log (MapKeeper), unit by unit with their versions; a mount finds everything else in the
// spare areas (BlockResolver). With checkpoints the log also holds the block map (BlockImage), and a mount reads only
// what is newer. The log takes its erase units from those beside the data blocks. With the map in NVRAM
// (BlockSettlements) there is no log.
//
// Blocks whose erase fails are replaced from these, too. When a die has too few left, the device is worn down: nothing
// is merged or erased any more, and data from the buffer go to free blocks one after another, whatever their logical
// block (write_last()); a mount changes nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/mapping/block_image.hpp"
#include "controllers/ftl/mapping/block_merges.hpp"
#include "controllers/ftl/mapping/block_settlements.hpp"
#include "controllers/ftl/mapping/block_space.hpp"
#include "controllers/ftl/mapping/block_writer.hpp"
#include "controllers/ftl/mapping/logical_blocks.hpp"
#include "controllers/ftl/mapping/mapped_ftl.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "controllers/ftl/recovery/tombstones.hpp"

namespace flashloom {

class BlockFtl : public MappedFtl, private KeptMap {
 public:
  Task<void> recover() override;
  Task<void> seal() override;
  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) override;
  Task<void> persist_trims() override { return keeper_.persist_trims(); }
  std::uint64_t newest_version() const override { return newest_version_; }
  void state(StateArchive& archive, FrontBuffer& front) override;
  std::uint32_t waiting_units() const override { return programs_.most_waiting(); }
  bool write_merges(std::uint32_t first, std::uint32_t count) const override;
  void check() const override;

 protected:
  /// `least_extras`: blocks of a die, beside data blocks and metadata log, that the FTL needs at least.
  BlockFtl(const FtlContext& context, std::uint32_t open_programs, std::uint32_t least_extras);

  /// Writes a unit on a device that is worn down: nothing is merged or erased any more.
  Task<void> write_last(WriteUnit& unit);
  bool worn_down() const { return blocks_.spare().worn_down(); }
  /// write_merges() for `count` units from `offset` on within a logical block.
  virtual bool merges_for(LogicalBlock logical, std::uint32_t offset, std::uint32_t count) const = 0;
  /// Whether do_duties() must run before a unit is written: checkpoints may be due, or a block of the die was erased
  /// since wear levelling was last asked.
  bool has_duties(LogicalBlock logical) const {
    return keeper_.paces() || logical_.leveling_due(logical_.die_of(logical));
  }
  Task<void> do_duties(LogicalBlock logical);
  /// Whether a block beside the data block is being written for this logical block alone: its data are then not cold.
  virtual bool being_rewritten(LogicalBlock logical) const = 0;
  /// Makes all trims so far survive power cuts before any block is released that may hold data which they invalidate.
  /// Nothing is trimmed during a merge.
  Task<void> before_release();

  // --- Erase units beside the data blocks ("extra blocks").
  /// Extra blocks of a die that the FTL may use now; the others belong to the metadata log or are bad.
  std::uint32_t extra_blocks(std::uint32_t die) const {
    const std::uint32_t gone = keeper_.log().blocks_on(die) + blocks_.spare().bad_blocks(die);
    return space_.room(die) - std::min(gone, space_.room(die));
  }
  /// Merges until the FTL uses fewer extra blocks of the die than it may and than `most`, or until the device is worn
  /// down.
  Task<void> make_room(std::uint32_t die, std::uint32_t most = ~std::uint32_t{0});
  /// Extra blocks of a die in use.
  virtual std::uint32_t used_blocks(std::uint32_t die) const = 0;
  /// Merges until the FTL uses one extra block less, or until the device is worn down.
  virtual Task<void> give_up_one(std::uint32_t die) = 0;

  // --- Recovery.
  virtual Task<void> adopt(const std::vector<Leftover>& found) = 0;
  /// Whether a block other than the data block of `logical` may hold units of it.
  virtual bool may_hold(BlockNumber block, LogicalBlock logical) const = 0;
  /// State of the derived FTL.
  virtual void own_state(StateArchive& archive) = 0;
  /// BlockWriter::Complete.
  virtual void complete(ProgramJob& /*job*/) {}

 private:
  Task<BlockNumber> take_block() override;
  void return_block(BlockNumber block) override;
  /// Moves the data block that wear levelling names, if any and if it is cold, to the free block that it chooses for
  /// cold data.
  Task<void> level_wear(std::uint32_t die);
  Task<void> come_to_rest() override;
  std::uint64_t image_words() const override { return checkpoints_ ? image().words() : 0; }
  void add_image(std::vector<std::uint64_t>& words) const override { image().add(words, map_); }
  BlockImage image() const { return {context_.geometry, blocks_, logical_.data()}; }
  std::uint64_t sequence() const override { return programmer_.numbers().last(); }
  BlockParts parts() { return {logical_, programs_, merges_, newest_version_}; }
  Task<void> recover_from_nvram();
  Task<void> use_leftovers(const std::vector<Leftover>& leftovers);

  bool checkpoints_;
  Tombstones tombstones_;
  MapKeeper keeper_;

 protected:
  const BlockSpace space_;
  LogicalBlocks logical_;
  BlockWriter programs_;

 private:
  std::unique_ptr<BlockSettlements> settlements_;  // null unless the map is in NVRAM

 protected:
  BlockMerges merges_;
  std::vector<BlockNumber> last_;  // filled on a worn-down device, with units of any logical block
};

}  // namespace flashloom
