// What FTLs that map blocks share. A logical block is as many mapping units as an erase unit holds; logical blocks are
// striped over the banks (dies; planes that are programmed apart) by their number, and all blocks of one lie on one
// die. A *data block* holds each unit at its offset. What else an FTL has (log blocks, replacement blocks) it adds.
//
// Program units are placed in a block at a position, or at the next one; what a position is for but has no data is a
// gap. At most `open_programs` program units are being filled; one more pushes out the one that was touched longest
// ago, padded.
//
// Trims are kept in the metadata log (MapKeeper), unit by unit with their versions; all else a mount finds in the spare
// areas. With checkpoints the log has the map of blocks, too (BlockImage), and a mount reads what is newer. The log takes
// its erase units from those that the FTL has beside its data blocks.
//
// Blocks that fail when they are erased come out of those, too. When a die has too few left the device is worn down:
// from then on nothing is merged or erased, and what the buffer has taken goes, whatever its logical block, into free
// blocks one after the other (`last`); a mount leaves things as it finds them.
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
    const std::uint32_t exposed = programmer_.word_lines().most_exposed() * context_.geometry.units_per_page;
    return open_programs_ * (units_per_program_ + exposed);
  }
  bool write_merges(std::uint32_t first, std::uint32_t count) const override;
  MountReport mount_report() const override { return mounted_; }
  void check() const override;

 protected:
  /// `least_extras`: blocks of a die beside data blocks and metadata log that the FTL cannot do without.
  BlockFtl(const FtlContext& context, std::uint32_t open_programs, std::uint32_t least_extras);

  // --- Where things are.
  LogicalBlock block_of_unit(std::uint32_t unit) const { return units_.quotient(unit); }
  std::uint32_t offset_of(std::uint32_t unit) const { return units_.remainder(unit); }
  std::uint32_t first_unit(LogicalBlock logical) const { return logical * units_.value(); }
  std::uint32_t units_per_block() const { return units_.value(); }
  std::uint32_t bank_of(LogicalBlock logical) const;
  std::uint32_t die_of(LogicalBlock logical) const { return logical % context_.geometry.dies; }
  std::uint32_t logical_blocks() const { return static_cast<std::uint32_t>(data_.size()); }
  BlockNumber data_block(LogicalBlock logical) const { return data_[logical]; }
  void set_data_block(LogicalBlock logical, BlockNumber block) { data_[logical] = block; }
  /// Place of a unit by its offset; kNoPhysicalUnit beyond the end of the last logical block, too.
  PhysicalUnit place_of(LogicalBlock logical, std::uint32_t offset) const {
    const std::uint64_t unit = std::uint64_t{first_unit(logical)} + offset;
    return unit < map_.size() ? map_.get(static_cast<std::uint32_t>(unit)) : kNoPhysicalUnit;
  }
  bool lies_in(PhysicalUnit place, BlockNumber block) const {
    return place != kNoPhysicalUnit && blocks_.block_of(place) == block;
  }
  /// Word of the spare area, as firmware remembers it or flash has it.
  OobWord word_of(BlockNumber block, std::uint32_t position) const;

  // --- Writing.
  /// An erased block on the die of a logical block; waits for its erase if need be.
  Task<BlockNumber> open(LogicalBlock logical, NvramBlockMap::Use use = NvramBlockMap::Use::Any,
                         FreeUse wear = FreeUse::Data);
  /// The next position of a block that is filled in order; units_per_block() when it is full.
  std::uint32_t next_position(BlockNumber block) const;
  /// Whether the next position can be written. No in a full block, and in a block that is filled in order but in which
  /// recovery has found gaps (a former data block, or one in which a power cut broke off a program before a later one).
  bool takes_next(BlockNumber block) const {
    const std::uint32_t next = next_position(block);
    return next < units_per_block() && can_place(block, next);
  }
  /// Whether a unit can still be placed there: at the next position, or, where the die allows programs in any order, at
  /// any position that no program has covered.
  bool can_place(BlockNumber block, std::uint32_t position) const;
  /// The same for `count` positions from `position` on.
  bool can_place(BlockNumber block, std::uint32_t position, std::uint32_t count) const;
  /// write_merges() for `count` units from `offset` on within a logical block.
  virtual bool merges_for(LogicalBlock logical, std::uint32_t offset, std::uint32_t count) const = 0;
  void place_host(BlockNumber block, std::uint32_t position, WriteUnit& unit);
  void place_copy(BlockNumber block, std::uint32_t position, std::uint32_t unit);
  /// Copies the valid units of a logical block at the offsets [from, to) to the same offsets of `block`, but for those
  /// that are in `block` already.
  void copy_range(LogicalBlock logical, BlockNumber block, std::uint32_t from, std::uint32_t to);
  /// One past the last offset that a copy of the logical block must cover.
  std::uint32_t end_of_copy(LogicalBlock logical) const;
  /// Whether a block can become the data block, as it is or after copies behind its content: all valid units in it lie
  /// at their offsets, and the rest can still be placed.
  bool can_become_data(LogicalBlock logical, BlockNumber block) const;
  /// Makes `block` the data block of `logical`, by a switch or a partial merge, and gives up the data block so far.
  /// can_become_data() must hold. Returns the units copied.
  std::uint64_t become_data(LogicalBlock logical, BlockNumber block);
  /// Copies all valid units of a logical block to a fresh block, its data block from now on; then gives up `sources`,
  /// but for the last one if `last_stays`.
  Task<void> merge_all(LogicalBlock logical, const std::vector<BlockNumber>& sources, bool last_stays = false);
  /// Gives up a block without valid units. It is erased when nothing needs it any more. Await before_release() first.
  void release(BlockNumber block);
  /// The same for a block beside the data block of `logical`, which stays the data block.
  void give_up(LogicalBlock logical, BlockNumber block);
  /// Before each unit that is written: checkpoints are due, or something of the die has been erased since wear levelling
  /// was asked: do_duties().
  bool has_duties(LogicalBlock logical) const { return keeper_.paces() || wears_[die_of(logical)] != 0; }
  Task<void> do_duties(LogicalBlock logical);
  /// A block beside the data block is being written for this logical block alone: its data are not cold.
  virtual bool being_rewritten(LogicalBlock logical) const = 0;
  /// Writes a unit on a device that is worn down.
  Task<void> write_last(WriteUnit& unit);
  /// Trims so far must survive power cuts before any block goes that may hold what they have made invalid. Nothing is
  /// trimmed in a merge.
  Task<void> before_release();

  // --- Erase units beside the data blocks.
  const BlockSpace& space() const { return space_; }
  bool worn_down() const { return blocks_.worn_down(); }
  /// How many of a die the FTL may use now: the metadata log has the others, or they are bad.
  std::uint32_t extra_blocks(std::uint32_t die) const {
    const std::uint32_t gone = keeper_.log().blocks_on(die) + blocks_.bad_blocks(die);
    return space_.room(die) - std::min(gone, space_.room(die));
  }
  /// Merges until the FTL uses fewer of the die than it may, and than `most`; or until the device is worn down.
  Task<void> make_room(std::uint32_t die, std::uint32_t most = ~std::uint32_t{0});
  /// How many of a die it uses.
  virtual std::uint32_t used_blocks(std::uint32_t die) const = 0;
  /// Merges until it uses one less, or until the device is worn down.
  virtual Task<void> give_up_one(std::uint32_t die) = 0;

  // --- Recovery.
  /// A block that was found to hold valid units and is no data block; in order of their opening.
  struct Leftover {
    BlockNumber block;
    LogicalBlock logical;  ///< whose offsets it is written at; kNoLogicalBlock: of several, or not at their offsets
  };
  virtual Task<void> adopt(const std::vector<Leftover>& found) = 0;
  /// Whether a block that is not the data block of a logical block may hold units of it.
  virtual bool may_hold(BlockNumber block, LogicalBlock logical) const = 0;
  bool any_order() const { return !context_.geometry.in_order_program; }
  /// What a subclass remembers.
  virtual void own_state(StateArchive& archive) = 0;
  /// Called before an open program unit is programmed early: the subclass may fill it. What stays empty is padded.
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
  /// Moves the data block that wear levelling names, if it names one that is cold: to the free block that it chooses for
  /// cold data.
  Task<void> level_wear(std::uint32_t die);
  Task<void> come_to_rest() override;
  std::uint64_t image_words() const override { return checkpoints_ ? image().words() : 0; }
  void add_image(std::vector<std::uint64_t>& words) const override { image().add(words, map_); }
  BlockImage image() const { return {context_.geometry, blocks_, data_}; }
  std::uint64_t sequence() const override { return programmer_.sequence(); }
  void use_log(const LogEntries& log);
  Task<void> recover_from_checkpoint(BlockScan& scan);
  std::vector<PhysicalUnit> doubtful(const BlockScan& scan, std::uint64_t newest);
  class Resolver;
  void resolve(const BlockScan& scan, std::vector<Leftover>& leftovers);

  // --- The map in NVRAM, if that is the recovery method (block_ftl_nvram.cpp).
  struct Settlement {
    LogicalBlock logical;
    BlockNumber target;                // its data block from now on; kNoBlockNumber: it stays as it is
    std::vector<BlockNumber> sources;  // given up
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
  std::vector<OpenJob> jobs_;      // that are being filled
  std::uint64_t touches_ = 0;
  Origin copies_for_ = Origin::Merge;   // or for wear levelling
  bool moves_cold_ = false;             // for wear levelling
  std::vector<std::uint8_t> wears_;     // by die
  std::vector<BlockNumber> exposed_;  // with data that later programs may hurt (WordLines); touched longest ago first
  std::vector<BlockNumber> last_;     // on a device that is worn down: blocks that take units of any logical block
  MountReport mounted_;
  Tombstones tombstones_;
  MapKeeper keeper_;
  Copier copier_;
  Eraser eraser_;
  std::unique_ptr<NvramBlockMap> nvram_map_;
  std::vector<std::uint8_t> unsettled_;  // by logical block: NVRAM does not say yet what was decided
  std::vector<BlockNumber> given_up_;    // blocks that the decision being made gives up
  std::deque<Settlement> settlements_;
  std::vector<Settlement*> free_settlements_;
  std::vector<std::uint64_t> bits_;
  WaitList settled_;
};

}  // namespace flashloom
