// Common base of block-mapped FTLs. A logical block is as many mapping units as an erase unit holds. Logical blocks are
// striped by number over the banks (dies; planes that are programmed apart), and all erase units of a logical block lie
// on one die. A *data block* holds each unit at its offset. Derived FTLs add other blocks (log blocks, replacement
// blocks).
//
// Program units of a block are written at a given position or at the next one; positions without data become gaps. At
// most `open_programs` program units are partly filled; one more evicts the least recently used one, padded.
//
// Trims go to the metadata log (MapKeeper), unit by unit with their versions; a mount finds everything else in the
// spare areas. With checkpoints the log also holds the block map (BlockImage), and a mount reads only what is newer.
// The log takes its erase units from those beside the data blocks.
//
// Blocks whose erase fails are replaced from these, too. When a die has too few left, the device is worn down: nothing
// is merged or erased any more, and data from the buffer go to free blocks one after another, whatever their logical
// block (`last_`); a mount changes nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/collect/copier.hpp"
#include "controllers/ftl/mapping/block_image.hpp"
#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/mapping/block_space.hpp"
#include "controllers/ftl/mapping/mapped_ftl.hpp"
#include "controllers/ftl/mapping/nvram_block_map.hpp"
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
  std::uint32_t waiting_units() const override {
    const std::uint32_t exposed = programmer_.exposed().word_lines().most_exposed() * context_.geometry.units_per_page;
    return open_programs_ * (units_per_program_ + exposed);
  }
  bool write_merges(std::uint32_t first, std::uint32_t count) const override;
  MountReport mount_report() const override { return mounted_; }
  void check() const override;

 protected:
  /// `least_extras`: blocks of a die, beside data blocks and metadata log, that the FTL needs at least.
  BlockFtl(const FtlContext& context, std::uint32_t open_programs, std::uint32_t least_extras);

  // --- Addresses.
  LogicalBlock block_of_unit(std::uint32_t unit) const { return units_.quotient(unit); }
  std::uint32_t offset_of(std::uint32_t unit) const { return units_.remainder(unit); }
  std::uint32_t first_unit(LogicalBlock logical) const { return logical * units_.value(); }
  std::uint32_t units_per_block() const { return units_.value(); }
  std::uint32_t bank_of(LogicalBlock logical) const;
  std::uint32_t die_of(LogicalBlock logical) const { return logical % context_.geometry.dies; }
  std::uint32_t logical_blocks() const { return static_cast<std::uint32_t>(data_.size()); }
  BlockNumber data_block(LogicalBlock logical) const { return data_[logical]; }
  void set_data_block(LogicalBlock logical, BlockNumber block) { data_[logical] = block; }
  /// Place of a unit by its offset; kNoPhysicalUnit also beyond the end of the last logical block.
  PhysicalUnit place_of(LogicalBlock logical, std::uint32_t offset) const {
    const std::uint64_t unit = std::uint64_t{first_unit(logical)} + offset;
    return unit < map_.size() ? map_.get(static_cast<std::uint32_t>(unit)) : kNoPhysicalUnit;
  }
  bool lies_in(PhysicalUnit place, BlockNumber block) const {
    return place != kNoPhysicalUnit && blocks_.block_of(place) == block;
  }
  /// The unit's word in the spare area, from firmware memory or from flash.
  OobWord word_of(BlockNumber block, std::uint32_t position) const;

  // --- Writing.
  /// Opens an erased block on the die of a logical block, after waiting for its erase.
  Task<BlockNumber> open(LogicalBlock logical, NvramBlockMap::Use use = NvramBlockMap::Use::Any,
                         FreeUse wear = FreeUse::Data);
  /// The next position of a block filled in order; units_per_block() if it is full.
  std::uint32_t next_position(BlockNumber block) const;
  /// Whether the next position can be written. False for a full block, and for a block filled in order in which
  /// recovery found gaps (a former data block, or a power cut that broke off a program before a later one).
  bool takes_next(BlockNumber block) const {
    const std::uint32_t next = next_position(block);
    return next < units_per_block() && can_place(block, next);
  }
  /// Whether a unit can still be placed at that position: the next one or, on dies that program in any order, any
  /// position that no program has covered.
  bool can_place(BlockNumber block, std::uint32_t position) const;
  /// can_place() for `count` positions from `position` on.
  bool can_place(BlockNumber block, std::uint32_t position, std::uint32_t count) const;
  /// write_merges() for `count` units from `offset` on within a logical block.
  virtual bool merges_for(LogicalBlock logical, std::uint32_t offset, std::uint32_t count) const = 0;
  void place_host(BlockNumber block, std::uint32_t position, WriteUnit& unit);
  void place_copy(BlockNumber block, std::uint32_t position, std::uint32_t unit);
  /// Copies the valid units of a logical block at offsets [from, to) to the same offsets of `block`, except those
  /// already in `block`.
  void copy_range(LogicalBlock logical, BlockNumber block, std::uint32_t from, std::uint32_t to);
  /// One past the last offset that a copy of the logical block must cover.
  std::uint32_t end_of_copy(LogicalBlock logical) const;
  /// Whether a block can become the data block, as it is or by appending copies: all its valid units lie at their
  /// offsets, and the rest can still be placed.
  bool can_become_data(LogicalBlock logical, BlockNumber block) const;
  /// Makes `block` the data block of `logical`, by a switch or a partial merge, and releases the previous data block.
  /// Requires can_become_data(). Returns whether it was a switch: `block` was full.
  bool become_data(LogicalBlock logical, BlockNumber block);
  /// Copies all valid units of a logical block to a fresh block, which becomes its data block; then releases `sources`,
  /// except the last one if `last_stays`.
  Task<void> merge_all(LogicalBlock logical, const std::vector<BlockNumber>& sources, bool last_stays = false);
  /// Releases a block without valid units; it is erased when nothing needs it any more. Await before_release() first.
  void release(BlockNumber block);
  /// Releases a block beside the data block of `logical`, which stays the data block.
  void give_up(LogicalBlock logical, BlockNumber block);
  /// Whether do_duties() must run before a unit is written: checkpoints may be due, or a block of the die was erased
  /// since wear levelling was last asked.
  bool has_duties(LogicalBlock logical) const { return keeper_.paces() || wears_[die_of(logical)] != 0; }
  Task<void> do_duties(LogicalBlock logical);
  /// Whether a block beside the data block is being written for this logical block alone: its data are then not cold.
  virtual bool being_rewritten(LogicalBlock logical) const = 0;
  /// Writes a unit on a device that is worn down.
  Task<void> write_last(WriteUnit& unit);
  /// Makes all trims so far survive power cuts before any block is released that may hold data which they invalidate.
  /// Nothing is trimmed during a merge.
  Task<void> before_release();

  // --- Erase units beside the data blocks ("extra blocks").
  const BlockSpace& space() const { return space_; }
  bool worn_down() const { return blocks_.spare().worn_down(); }
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
  /// A block found to hold valid units that is no data block; listed in the order of opening.
  struct Leftover {
    BlockNumber block;
    LogicalBlock logical;  ///< whose offsets it is written at; kNoLogicalBlock: several, or other positions
  };
  virtual Task<void> adopt(const std::vector<Leftover>& found) = 0;
  /// Whether a block other than the data block of `logical` may hold units of it.
  virtual bool may_hold(BlockNumber block, LogicalBlock logical) const = 0;
  bool any_order() const { return !context_.geometry.in_order_program; }
  /// State of the derived FTL.
  virtual void own_state(StateArchive& archive) = 0;
  /// Called before a partly filled program unit is programmed early: the derived FTL may fill it; the rest is padded.
  virtual void complete(ProgramJob& /*job*/) {}

  FtlStatistics::Merges& merges() { return statistics_.merges; }

 private:
  struct OpenJob {
    ProgramJob* job = nullptr;
    std::uint64_t touched = 0;
  };
  OpenJob* open_job(BlockNumber block);
  const OpenJob* open_job(BlockNumber block) const { return const_cast<BlockFtl*>(this)->open_job(block); }
  ProgramJob& job_at(BlockNumber block, std::uint32_t position, Origin origin);
  void gap(ProgramJob& job);
  void placed(ProgramJob& job);
  void seal(BlockNumber block);
  void launch(ProgramJob& job);
  void note_exposed(BlockNumber block);
  void close_word_lines(BlockNumber block);
  void holds_data(BlockNumber block);
  LogicalBlock logical_of_data(BlockNumber block) const;
  Task<BlockNumber> open_on(std::uint32_t bank, FreeUse wear = FreeUse::Data);
  Task<BlockNumber> take_block() override;
  void return_block(BlockNumber block) override;
  /// Moves the data block that wear levelling names, if any and if it is cold, to the free block that it chooses for
  /// cold data.
  Task<void> level_wear(std::uint32_t die);
  Task<void> come_to_rest() override;
  std::uint64_t image_words() const override { return checkpoints_ ? image().words() : 0; }
  void add_image(std::vector<std::uint64_t>& words) const override { image().add(words, map_); }
  BlockImage image() const { return {context_.geometry, blocks_, data_}; }
  std::uint64_t sequence() const override { return programmer_.numbers().last(); }
  void use_log(const LogEntries& log);
  Task<void> recover_from_checkpoint(BlockScan& scan);
  std::vector<PhysicalUnit> doubtful(const BlockScan& scan, std::uint64_t newest);
  class Resolver;
  void resolve(const BlockScan& scan, std::vector<Leftover>& leftovers);

  // --- The map in NVRAM, if this is the recovery method (block_ftl_nvram.cpp).
  struct Settlement {
    LogicalBlock logical;
    BlockNumber target;                // becomes the data block; kNoBlockNumber: the data block stays
    std::vector<BlockNumber> sources;  // to be released
  };
  Task<void> recover_from_nvram();
  void use_records(const BlockScan& scan, LogicalBlock logical, BlockNumber open, std::vector<Leftover>& leftovers,
                   std::vector<BlockNumber>& to_erase);
  void use_shared(const BlockScan& scan, const std::vector<BlockNumber>& shared, std::vector<Leftover>& leftovers,
                  std::vector<BlockNumber>& to_erase);
  void use_open(const BlockScan& scan, const Leftover& open, std::uint32_t valid, std::vector<Leftover>& leftovers,
                std::vector<BlockNumber>& to_erase);
  void settle(LogicalBlock logical, BlockNumber target);
  Task<void> pass_settlement(Settlement& settlement);
  bool all_programmed(BlockNumber block) const;
  Task<void> until_settled(LogicalBlock logical);
  Task<void> trim_in_nvram(std::uint32_t first, std::uint32_t count);
  void restore(const BlockScan& scan, BlockNumber block, std::uint32_t valid);
  Task<void> use_leftovers(const std::vector<Leftover>& leftovers);
  void give_back(BlockNumber block, Origin origin);
  std::uint32_t roomiest_die() const;

  Divisor units_;
  bool checkpoints_;
  BlockSpace space_;
  std::uint32_t units_per_program_;
  std::uint32_t open_programs_;
  std::vector<BlockNumber> data_;  // by logical block
  std::vector<OpenJob> jobs_;      // being filled
  std::uint64_t touches_ = 0;
  Origin copies_for_ = Origin::Merge;  // or wear levelling
  bool moves_cold_ = false;            // the wear-levelling policy moves cold data
  std::vector<std::uint8_t> wears_;    // by die: a block was released since the policy was last asked
  std::vector<BlockNumber> exposed_;   // with data that later programs may corrupt (WordLines); least recent first
  std::vector<BlockNumber> last_;      // on a worn-down device: blocks that take units of any logical block
  MountReport mounted_;
  Tombstones tombstones_;
  MapKeeper keeper_;
  Copier copier_;
  Eraser eraser_;
  std::unique_ptr<NvramBlockMap> nvram_map_;
  std::vector<std::uint8_t> unsettled_;  // by logical block: decisions not yet recorded in NVRAM
  std::vector<BlockNumber> given_up_;    // blocks that the current decision releases
  std::deque<Settlement> settlements_;
  std::vector<Settlement*> free_settlements_;
  std::vector<std::uint64_t> bits_;
  WaitList settled_;
};

}  // namespace flashloom
