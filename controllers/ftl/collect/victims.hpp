// What is being collected: one victim a group (BlockTable). A victim is a GC unit, usually of one member. If it has
// several, units are copied out stripe by stripe (a program unit of each member).
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/collect/victim_source.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

/// Collection of a group.
struct Victim {
  bool active = false;                   ///< the group is short of free space, or a source has a victim
  VictimSource* source = nullptr;        ///< of the victim, or of the last one; never null
  GcUnit gc_unit = kNoBlockNumber;       ///< being collected
  BlockNumber from = kNoBlockNumber;     ///< member that is being copied from
  std::uint64_t collection = 0;          ///< number of its collection, from 1
  std::uint32_t next_unit = 0;           ///< next unit of `from` to look at
  std::uint32_t end_unit = 0;            ///< end of the units of `from` to look at: of its block or stripe
  std::uint32_t from_member = 0;         ///< index of `from` in the victim
  std::uint32_t copies_per_program = 0;  ///< its pace: copies for each program unit of host data
  std::uint32_t gain = 0;                ///< units without valid data when it was chosen to gain space

  bool any() const { return gc_unit != kNoBlockNumber; }
};

class Victims : private FtlPart {
 public:
  static constexpr std::uint32_t kNoStream = ~std::uint32_t{0};

  explicit Victims(const FtlPart& part);

  std::uint32_t groups() const { return static_cast<std::uint32_t>(victims_.size()); }
  Victim& operator[](std::uint32_t group) { return victims_[group]; }
  const Victim& operator[](std::uint32_t group) const { return victims_[group]; }

  // --- Free GC units of a group: collection begins at low(), and ends at high(); it reserves kept().
  std::uint32_t low() const { return low_; }
  std::uint32_t high() const { return high_; }
  std::uint32_t kept() const { return kept_; }

  /// Begins to collect a GC unit. `collection`: number of the collection.
  void begin(std::uint32_t group, GcUnit unit, VictimSource& source, std::uint64_t copies_per_program,
             std::uint64_t collection);
  /// The group's collection is over; give_up(): before all data were copied.
  void end(std::uint32_t group) { victims_[group].gc_unit = kNoBlockNumber; }
  void give_up(std::uint32_t group);
  /// Before all else: the source of victims that gain free space.
  void set_space(VictimSource& source);
  /// All valid units have been copied.
  bool emptied(const Victim& victim) const { return blocks_[victim.from].valid == 0 && valid_of(victim.gc_unit) == 0; }
  /// Moves on to the next stripe or member that has valid units; false if the victim has none left.
  bool next_stripe(Victim& victim) const;
  /// The stream of a group's victim; kNoStream if the victim has no member left.
  std::uint32_t stream_of(std::uint32_t group) const;
  /// The GC unit of a number that a policy of the group returned.
  GcUnit of_number(std::uint32_t group, std::uint32_t number) const {
    return group * blocks_.gc_units_of_group() + number;
  }
  /// Whether a GC unit can be collected: some member is closed, and no other is in use.
  bool all_closed(GcUnit unit) const;
  /// Valid units; whole units that fit into its good members.
  std::uint32_t valid_of(GcUnit unit) const;
  std::uint32_t room_of(GcUnit unit) const;
  /// Room that the valid units take, in whole units, now, and at most once copied. Both equal valid_of() unless data
  /// are compressed.
  std::uint32_t taken_of(GcUnit unit) const;
  std::uint32_t most_taken_of(GcUnit unit) const;
  /// The word of a unit of the block, on flash (`words`) or on its way there.
  static OobWord word_of(const BlockInfo& info, const NandMedia::BlockWords& words, std::uint32_t unit) {
    return info.pending != nullptr ? info.pending->oob[unit] : words[unit];
  }
  NandMedia::BlockWords words_of(BlockNumber block) const {
    return context_.media.words(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)});
  }

 private:
  void take(BlockNumber member);

  std::uint32_t low_, high_, kept_;
  VictimSource* space_ = nullptr;
  std::uint32_t stripe_units_;  // units copied from an erase unit before the next member's turn
  std::vector<Victim> victims_;
};

}  // namespace flashloom
