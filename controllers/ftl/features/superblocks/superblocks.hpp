// Superblocks: with ftl.gc_unit = "superblock" a GC unit has one member on
// every bank of a group of dies: those of the same number, or with
// ftl.superblock_by = "speed" those of the same rank by the program time that
// the manufacturer's test found, so that no member waits long for another.
// Policies of a group number superblocks as those of a die number erase units.
//
// Each bad member shrinks a superblock. The victim policy sees missing members,
// and members that hold parity over dies (Stripes), as valid data, so that it
// values a superblock by the space it yields. A superblock without members, or
// with a plane that would have no member left for data, is no longer used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "controllers/ftl/blocks/gc_unit_pool.hpp"

namespace flashloom {

class Superblocks final : public GcUnitPool {
 public:
  /// All members are good, all superblocks free.
  Superblocks(const FtlContext& context, const BlockRecords& blocks);

  GcUnit next_free(std::uint32_t group, FreeUse use) const override;
  void take(GcUnit superblock) override { take_out(free_of(superblock), superblock); }
  void give_back(GcUnit superblock) override {
    if (usable(superblock)) free_of(superblock).push_back(superblock);
  }
  void lose_member(BlockNumber block) override;
  bool usable(GcUnit superblock) const override {
    if (rain_ == 0) return info_[superblock].good != 0;
    return std::ranges::all_of(good_on_planes(superblock), [this](std::uint8_t good) { return good > rain_; });
  }
  void keep_free(const std::vector<std::uint8_t>& free) override;
  void closed(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) override;
  void invalidated(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) override;
  void removed(BlockNumber block) override;
  void erased(BlockNumber block) override;
  void state(StateArchive& archive) override;

 private:
  struct Info {
    std::uint32_t good = 0;    ///< good members
    std::uint32_t closed = 0;  ///< closed members
    std::uint32_t valid = 0;   ///< units of the closed members
    std::uint32_t erases = 0;  ///< of the member with the most
  };
  struct Wear final : BlockWear {
    std::uint32_t erases(std::uint32_t superblock) const override { return first[superblock].erases; }
    const Info* first = nullptr;
  };

  /// Valid units of a whole superblock as the victim policy counts them. The result is clamped, because a member that
  /// holds parity may also have gone bad.
  std::uint32_t counted(const Info& info) const {
    const std::uint32_t members = blocks_.members();
    return std::min(info.valid + (members - info.good + rain_ * planes_) * units_per_block_,
                    members * units_per_block_);
  }
  std::span<const std::uint8_t> good_on_planes(GcUnit superblock) const {
    return std::span(good_).subspan(std::size_t{superblock} * planes_, planes_);
  }
  std::uint32_t of_group(GcUnit superblock) const { return superblock % blocks_.gc_units_of_group(); }
  Policies& policies_of(GcUnit superblock) { return policies_[blocks_.group_of_gc_unit(superblock)]; }
  FreeList& free_of(GcUnit superblock) { return free_[blocks_.group_of_gc_unit(superblock)]; }

  const BlockRecords& blocks_;
  std::uint32_t planes_;  // of a die, programmed apart
  std::uint32_t units_per_block_;
  std::uint32_t rain_;  // members on each plane that hold parity
  std::vector<Info> info_;
  // By erase unit: valid units of a closed member, as the block table last reported. Only with units of different
  // sizes, where one report may change the count by none or by several.
  std::vector<std::uint32_t> told_;
  std::vector<std::uint8_t> good_;  // good members, by superblock and plane; only with parity
  std::vector<Wear> wear_;          // by group
};

}  // namespace flashloom
