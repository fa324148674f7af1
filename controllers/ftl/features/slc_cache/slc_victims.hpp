// The SLC write cache as a source of victims: its blocks are folded, oldest first, and borrowed ones are given back.
#pragma once

#include <cstdint>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

/// Moves the data of full SLC blocks into normal ones.
class SlcFolder final : public VictimSource {
 public:
  explicit SlcFolder(Collector& collector);

  /// The cache has so few usable blocks left that folding must keep pace with the host's writes.
  bool wants(std::uint32_t group) const override {
    return low_ != 0 && blocks_.slc().free(group) < low_ && blocks_.slc().oldest(group) != kNoBlockNumber;
  }
  Task<bool> begin(std::uint32_t group) override;
  bool paced() const override { return low_ != 0; }
  bool may_begin_idle(std::uint32_t group) const override;
  bool waits_for_space(std::uint32_t group) const override;
  bool may_copy_idle(std::uint32_t group) const override;
  bool gives_up(std::uint32_t group) const override {
    return blocks_.free_of_group(group) <= collector_.victims().low();
  }
  void put_back(GcUnit victim) override { blocks_.slc().put_back(victim); }

 private:
  std::uint32_t low_;  // SLC blocks below which folding keeps pace with the host; 0: no such folding
  bool idle_;          // the cache is folded in idle time
};

/// Empties the oldest borrowed block for free space: its data fill at most the SLC capacity, and it returns a whole
/// normal block. So lending never leaves a die short of blocks.
class SlcGiveBack final : public VictimSource {
 public:
  explicit SlcGiveBack(Collector& collector);

  bool wants(std::uint32_t group) const override { return blocks_.slc().oldest_borrowed(group) != kNoBlockNumber; }
  Task<bool> begin(std::uint32_t group) override;
};

}  // namespace flashloom
