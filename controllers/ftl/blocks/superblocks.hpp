// Superblocks: the erase units that are opened, collected and erased together, and in which free space is counted. With
// ftl.gc_unit = "superblock" a superblock has one member on every bank of a group of dies: those of the same number, or
// with ftl.superblock_by = "speed" those of the same rank by the program time that the manufacturer's test found, so
// that no member waits long for another. This class knows which erase units belong together, which superblocks are
// free, and what it reports to the policies: policies of a group number superblocks as those of a die number erase
// units. With "block" a superblock is one erase unit, a group is a die, and the block table keeps the free lists and
// informs the policies.
//
// Each bad member shrinks a superblock. The victim policy sees missing members, and members that hold parity over dies
// (Stripes), as valid data, so that it values a superblock by the space it yields. A superblock without members, or
// with a plane that would have no member left for data, is no longer used.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/common/types.hpp"
#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/state_archive.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {

struct FtlContext;

/// Superblock of the whole device: group * superblocks a group + number in the group.
using SuperblockNumber = std::uint32_t;

class Superblocks {
 public:
  /// All members are good, all superblocks free. `erases`: by erase unit of the device, if known.
  Superblocks(const FtlContext& context, const std::vector<std::uint32_t>& erases);
  Superblocks(const Superblocks&) = delete;
  Superblocks& operator=(const Superblocks&) = delete;

  /// True if each erase unit is a superblock of its own.
  bool of_one() const { return info_.empty(); }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  /// Banks of a group, and erase units of a superblock.
  std::uint32_t members() const { return members_; }
  std::uint32_t per_group() const { return per_group_; }
  SuperblockNumber count() const { return per_group_ * groups(); }
  std::uint32_t first_bank(std::uint32_t group) const { return group * members_; }
  /// Erase unit of a superblock on the n-th bank of its group.
  std::uint32_t member(SuperblockNumber superblock, std::uint32_t n) const {
    const std::uint32_t bank = first_bank(group_of(superblock)) + n;
    const std::uint32_t number = superblock % per_group_;
    const std::uint32_t at = by_rank_.empty() ? number : by_rank_[std::size_t{bank} * per_group_ + number];
    return bank / planes_ * blocks_per_die_ + at * planes_ + bank % planes_;
  }
  /// All erase units of a superblock.
  auto members_of(SuperblockNumber superblock) const {
    return std::views::iota(0U, members_) |
           std::views::transform([this, superblock](std::uint32_t n) { return member(superblock, n); });
  }
  SuperblockNumber of(std::uint32_t block) const {
    const std::uint32_t at = block % blocks_per_die_ / planes_;
    return block / blocks_per_die_ / dies_ * per_group_ + (rank_.empty() ? at : rank_[index_of(block)]);
  }
  std::uint32_t group_of(SuperblockNumber superblock) const { return superblock / per_group_; }

  // --- For superblocks of several members.
  /// Free superblocks, oldest first, including those whose erases are still pending.
  const boost::circular_buffer<SuperblockNumber>& free(std::uint32_t group) const { return groups_[group].free; }
  /// The superblock to open next, as wear levelling chooses. The group must have a free one.
  SuperblockNumber next_free(std::uint32_t group, FreeUse use) const;
  void take(SuperblockNumber superblock);
  void give_back(SuperblockNumber superblock);  // no effect if superblocks have one member
  /// An erase unit has gone bad, a member of a free superblock.
  void lose_member(std::uint32_t block);
  /// Whether it has good members for data, with parity on every plane.
  bool usable(SuperblockNumber superblock) const {
    if (rain_ == 0) return info_[superblock].good != 0;
    return std::ranges::all_of(good_on_planes(superblock), [this](std::uint8_t good) { return good > rain_; });
  }
  /// Recovery: sets which superblocks are free.
  void keep_free(const std::vector<std::uint8_t>& free);

  GarbageCollectionPolicy& collection(std::uint32_t group) { return *groups_[group].collection; }
  WearLevelingPolicy& leveling(std::uint32_t group) { return *groups_[group].leveling; }
  /// Adapters: they turn what the block table reports about erase units of a die into reports to the group's policies.
  std::unique_ptr<GarbageCollectionPolicy> collection_of_die(std::uint32_t die);
  std::unique_ptr<WearLevelingPolicy> leveling_of_die(std::uint32_t die);

  /// Saved states.
  void state(StateArchive& archive);

 private:
  struct Info {
    std::uint32_t good = 0;    ///< good members
    std::uint32_t closed = 0;  ///< closed members
    std::uint32_t valid = 0;   ///< units of the closed members
    std::uint32_t erases = 0;  ///< of the member with the most
  };
  struct Group final : BlockWear {
    std::uint32_t erases(std::uint32_t superblock) const override { return first[superblock].erases; }

    const Info* first = nullptr;
    boost::circular_buffer<SuperblockNumber> free;
    std::unique_ptr<GarbageCollectionPolicy> collection;
    std::unique_ptr<WearLevelingPolicy> leveling;
  };
  class CollectionOfDie;
  class LevelingOfDie;

  /// Valid units of a whole superblock as the victim policy counts them. The result is clamped, because a member that
  /// holds parity may also have gone bad.
  std::uint32_t counted(const Info& info) const {
    return std::min(info.valid + (members_ - info.good + rain_ * planes_) * units_per_block_,
                    members_ * units_per_block_);
  }
  std::span<const std::uint8_t> good_on_planes(SuperblockNumber superblock) const {
    return std::span(good_).subspan(std::size_t{superblock} * planes_, planes_);
  }
  std::uint32_t of_group(SuperblockNumber superblock) const { return superblock % per_group_; }
  /// Index of an erase unit in the two tables below.
  std::size_t index_of(std::uint32_t block) const {
    const std::uint32_t bank = block / blocks_per_die_ * planes_ + block % blocks_per_die_ % planes_;
    return std::size_t{bank} * per_group_ + block % blocks_per_die_ / planes_;
  }
  void rank(const std::vector<Picoseconds>& times);

  std::uint32_t planes_;  // of a die, programmed apart
  std::uint32_t dies_;    // of a group
  std::uint32_t members_;
  std::uint32_t blocks_per_die_;
  std::uint32_t per_group_;
  std::uint32_t units_per_block_;
  std::uint32_t rain_;  // members on each plane that hold parity
  const std::vector<std::uint32_t>& erases_;
  // By bank: the rank of an erase unit by speed, given its number on the bank; and the reverse.
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> by_rank_;
  std::vector<Info> info_;
  // By erase unit: valid units of a closed member, as the block table last reported. Only with units of different sizes, where
  // one report may change the count by none or by several.
  std::vector<std::uint32_t> told_;
  std::vector<std::uint8_t> good_;  // good members, by superblock and plane; only with parity
  std::vector<Group> groups_;
};

}  // namespace flashloom
