// The closed blocks of a die with at least one invalid unit, in an array: for policies that draw among them or scan all
// of them. O(1) for every event.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"

namespace flashloom {

class Candidates {
 public:
  explicit Candidates(const GarbageCollectionContext& context)
      : units_per_block_(context.units_per_block),
        valid_(context.blocks),
        closed_at_(context.blocks),
        place_(context.blocks, kNowhere) {
    list_.reserve(context.blocks);
  }

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) {
    closed_at_[block] = age;
    invalidated(block, valid_units);
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units) {
    valid_[block] = valid_units;
    if (place_[block] != kNowhere || valid_units == units_per_block_) return;
    place_[block] = static_cast<std::uint32_t>(list_.size());
    list_.push_back(block);
  }
  void removed(std::uint32_t block) {
    const std::uint32_t place = place_[block];
    if (place == kNowhere) return;
    list_[place] = list_.back();
    place_[list_[place]] = place;
    list_.pop_back();
    place_[block] = kNowhere;
  }

  /// In an arbitrary order, which depends on past events.
  const std::vector<std::uint32_t>& list() const { return list_; }
  std::uint32_t valid(std::uint32_t block) const { return valid_[block]; }
  /// Share of valid units.
  double utilization(std::uint32_t block) const {
    return static_cast<double>(valid_[block]) / static_cast<double>(units_per_block_);
  }
  /// Host writes since the block was closed, at least 1.
  std::uint64_t since_closed(std::uint32_t block, std::uint64_t age) const {
    return age > closed_at_[block] ? age - closed_at_[block] : 1;
  }

  void state(StateArchive& archive) {
    archive(list_, valid_, closed_at_);
    if (!archive.loading()) return;
    for (std::uint32_t place = 0; place < list_.size(); ++place) place_[list_[place]] = place;
  }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  std::uint32_t units_per_block_;
  std::vector<std::uint32_t> valid_;
  std::vector<std::uint64_t> closed_at_;
  std::vector<std::uint32_t> list_;
  std::vector<std::uint32_t> place_;  // in the list
};

}  // namespace flashloom
