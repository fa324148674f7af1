// The erase units of the device as an FTL sees them: their records (BlockRecords), what is free, what is valid, and the
// parts that know when a unit may be used, what is programmed in it, and which units fail.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "controllers/ftl/blocks/block_policies.hpp"
#include "controllers/ftl/blocks/block_programs.hpp"
#include "controllers/ftl/blocks/block_waits.hpp"
#include "controllers/ftl/blocks/gc_unit_pool.hpp"
#include "controllers/ftl/blocks/spare_capacity.hpp"
#include "controllers/ftl/records/block_records.hpp"
#include "controllers/ftl/records/free_lists.hpp"
#include "controllers/ftl/unit_sizes.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

/// A part of an FTL that uses some blocks in another mode of their cells (BlockRecords::in_slc_mode()), unseen by the
/// policies. closed() and collected() are of such blocks, the others of all.
class CellModes {
 public:
  virtual void opened(BlockNumber block) = 0;
  virtual void closed(BlockNumber block) = 0;
  virtual void collected(BlockNumber block) = 0;
  virtual void released(BlockNumber block) = 0;
  /// An erase has been decided upon. Returns how many there were in that mode, of a block that may change it.
  virtual std::uint32_t erased(BlockNumber block) = 0;
  virtual std::vector<std::uint32_t>& erases() = 0;  ///< these, by block; empty: no block may change its mode
  virtual void check() const = 0;
  virtual void state(StateArchive& archive) = 0;

 protected:
  ~CellModes() = default;
};

class BlockTable : public BlockRecords {
 public:
  /// The table of a device whose erase units are all free, except its bad blocks. The device may already be worn.
  explicit BlockTable(const FtlContext& context);

  // --- Parts.
  FreeLists& free() { return free_; }
  const FreeLists& free() const { return free_; }
  SpareCapacity& spare() { return spare_; }
  const SpareCapacity& spare() const { return spare_; }
  BlockPolicies& policies() { return policies_; }
  const BlockPolicies& policies() const { return policies_; }
  BlockWaits& waits() { return waits_; }
  const BlockWaits& waits() const { return waits_; }
  BlockPrograms& programs() { return programs_; }
  const BlockPrograms& programs() const { return programs_; }
  /// Null: erase units are collected one by one.
  const GcUnitPool* pool() const { return pool_.get(); }
  /// Null: all units are whole.
  const UnitSizes* sizes() const { return sizes_; }
  /// Null: all blocks are in their usual mode.
  const CellModes* modes() const { return modes_; }
  void attach(CellModes& modes) { modes_ = &modes; }

  /// Free GC units of a group.
  std::uint32_t free_of_group(std::uint32_t group) const {
    return one_by_one() ? free_.of_die(group) : static_cast<std::uint32_t>(pool_->free()[group].size());
  }
  /// Lists of them.
  std::span<const FreeList> free_lists(std::uint32_t group) const {
    if (one_by_one()) return std::span(free_.of_banks()).subspan(first_bank(group), banks_per_die());
    return std::span(pool_->free()).subspan(group, 1);
  }
  /// The unit that open() takes next, as wear levelling chooses. The bank must have a free one.
  BlockNumber next_free(std::uint32_t bank, FreeUse use = FreeUse::Data) const {
    return policies_.choose(die_of_bank(bank), free_.of_bank(bank), use);
  }

  // --- Life of a block.
  /// Opens a free erase unit of the bank, with an empty page table. Throws std::runtime_error if the bank has none.
  BlockNumber open(std::uint32_t bank, FreeUse use = FreeUse::Data);
  /// Opens this free erase unit, with an empty page table.
  void open_free(BlockNumber block);
  // --- GC units of several members: those are opened, collected and released together.
  /// Takes one out of the free list; the caller then opens its good members.
  void take(GcUnit unit);
  /// All its members have been released.
  void give_back(GcUnit unit) {
    if (pool_ != nullptr) pool_->give_back(unit);
  }
  /// Hands a newly opened block to an owner that manages its pages itself (the metadata log).
  void dedicate(BlockNumber block);
  /// No more pages will be given out: the block becomes a candidate for collection.
  void close(BlockNumber block, std::uint64_t age);
  /// Makes a closed block the victim of a data move: it is no longer a candidate of the policies.
  void collect(BlockNumber block);
  /// Returns a block to the free list; its erase may follow later.
  void release(BlockNumber block);
  /// Counts an erase that has been decided upon. If the block does not survive this erase, it is bad from now on,
  /// whatever its state: firmware learns here, in the order of its decisions, what the flash will report later.
  void count_erase(BlockNumber block);
  /// Marks the block of a program that is going to fail; its pages have been given out. The first such program on a
  /// dead die takes the die out of use.
  void set_failed(BlockNumber block, std::uint32_t page);
  /// Prefetches the data of a unit that will be read soon.
  [[gnu::always_inline]] void prefetch_data(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    const std::uint32_t unit_of_block = offset_in_block(unit, block);
    media_.prefetch(address(block, page_of(unit_of_block)), unit_of_page(unit_of_block));
  }

  // --- Valid units.
  void validate(PhysicalUnit unit) {
    ++(*this)[block_of(unit)].valid;
    if (sizes_ != nullptr) [[unlikely]]
      restore_size(unit);
  }
  /// Accounts for valid units of a block that have been copied to `to`. Only for whole units.
  void move_valid(BlockInfo& from, BlockNumber to, std::uint32_t units) {
    from.valid -= units;
    (*this)[to].valid += units;
  }
  void invalidate(PhysicalUnit unit, std::uint64_t age);
  /// Accounts for a valid unit that has been copied out of a block being collected; `word`: its spare area.
  void copied_out(BlockInfo& info, OobWord word, PhysicalUnit unit) {
    --info.valid;
    if (sizes_ != nullptr) [[unlikely]]
      sizes_->remove(block_of(unit), word);
  }
  /// With units of different sizes: counts the room of one that the map points to. During recovery, before blocks are
  /// closed.
  [[gnu::cold]] void restore_size(PhysicalUnit unit) { sizes_->add(block_of(unit), programs_.word_at(unit)); }

  // --- Recovery, on a new table.
  /// Once all blocks are known: frees the GC units none of whose members is in use.
  void restore_free();
  /// A block with data that will not be programmed further.
  void restore_closed(BlockNumber block, std::uint32_t valid);
  /// A block with `pages` programmed pages that the FTL itself collects.
  void restore_in_use(BlockNumber block, std::uint32_t pages, std::uint32_t valid);
  void restore_dedicated(BlockNumber block);

  /// Saved states: of a quiescent table, into a new one.
  void state(StateArchive& archive);

 private:
  /// The room that valid units take in a block, in whole units, as reported to the policies.
  std::uint32_t taken(BlockNumber block) const {
    return sizes_ == nullptr ? (*this)[block].valid : sizes_->units(block);
  }

  NandMedia& media_;  // for its table of bad blocks
  std::uint32_t pages_;
  std::uint32_t rain_;  // program units of parity in a stripe
  FreeLists free_;
  std::unique_ptr<GcUnitPool> pool_;
  UnitSizes* sizes_;  // null: all units are whole
  BlockPolicies policies_;
  SpareCapacity spare_;
  BlockWaits waits_;
  BlockPrograms programs_;
  CellModes* modes_ = nullptr;
};

}  // namespace flashloom
