// What is being collected: one victim a group (BlockTable). A victim is a superblock, usually of one member
// (Superblocks). If it has several, units are copied out stripe by stripe (a program unit of each member).
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"

namespace flashloom {

/// Collection of a group.
struct Victim {
  bool active = false;                           ///< the group is short of free space, or moving data
  Origin origin = Origin::Gc;                    ///< why the data move
  bool folds = false;                            ///< with Origin::Gc: a block of the SLC write cache
  bool gives_back = false;                       ///< a borrowed SLC block, emptied to return it
  SuperblockNumber superblock = kNoBlockNumber;  ///< being collected
  BlockNumber from = kNoBlockNumber;             ///< member that is being copied from
  std::uint64_t collection = 0;                  ///< number of its collection, from 1
  std::uint32_t next_unit = 0;                   ///< next unit of `from` to look at
  std::uint32_t end_unit = 0;                    ///< end of the units of `from` to look at: of its block or stripe
  std::uint32_t from_member = 0;                 ///< index of `from` in the victim
  std::uint32_t copies_per_program = 0;          ///< its pace: copies for each program unit of host data
  std::uint32_t gain = 0;                        ///< units without valid data when it was chosen to gain space

  bool any() const { return superblock != kNoBlockNumber; }
  /// Whether the data move for another reason than free space (folding; Origin::Wear, Scrub).
  bool moves() const { return folds || origin != Origin::Gc; }
};

class Victims {
 public:
  static constexpr std::uint32_t kNoStream = ~std::uint32_t{0};

  Victims(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map);

  std::uint32_t groups() const { return static_cast<std::uint32_t>(victims_.size()); }
  Victim& operator[](std::uint32_t group) { return victims_[group]; }
  const Victim& operator[](std::uint32_t group) const { return victims_[group]; }

  /// Begins to collect a superblock. `collection`: number of the collection.
  void begin(std::uint32_t group, SuperblockNumber superblock, std::uint64_t copies_per_program, Origin origin,
             bool folds, std::uint64_t collection);
  /// All valid units have been copied.
  bool emptied(const Victim& victim) const {
    return blocks_[victim.from].valid == 0 && blocks_.valid_of(victim.superblock) == 0;
  }
  /// Moves on to the next stripe or member that has valid units; false if the victim has none left.
  bool next_stripe(Victim& victim) const;
  /// The stream of a group's victim; kNoStream if the victim has no member left.
  std::uint32_t stream_of(std::uint32_t group) const;
  /// The superblock of a number that a policy of the group returned.
  SuperblockNumber of_number(std::uint32_t group, std::uint32_t number) const {
    return group * blocks_.superblocks().per_group() + number;
  }
  /// Whether a superblock can be collected: some member is closed, and no other is in use.
  bool all_closed(SuperblockNumber superblock) const;
  NandMedia::BlockWords words_of(BlockNumber block) const {
    return context_.media.words(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)});
  }

 private:
  void take(BlockNumber member);

  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  UnitMap& map_;
  std::uint32_t stripe_units_;  // units copied from an erase unit before the next member's turn
  std::vector<Victim> victims_;
};

}  // namespace flashloom
