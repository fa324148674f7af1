// The SLC write cache: host data first go to blocks in pseudo-SLC mode. As a source of victims, its blocks are folded,
// oldest first, and borrowed ones are given back.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/features/slc_cache/slc_blocks.hpp"

namespace flashloom {

/// Takes host data, and moves the data of full SLC blocks into normal ones.
class SlcCache final : public VictimSource, public WriteCache {
 public:
  SlcCache(Collector& collector, VictimSources& sources);

  /// The cache has so few usable blocks left that folding must keep pace with the host's writes.
  bool wants(std::uint32_t group) const override {
    return low_ != 0 && slc_.free(group) < low_ && slc_.oldest(group) != kNoBlockNumber;
  }
  Task<bool> begin(std::uint32_t group) override;
  bool paced() const override { return low_ != 0; }
  bool may_begin_idle(std::uint32_t group) const override {
    return waits_for_space(group) && collector_.can_open_block(group, FreeUse::Data);
  }
  bool waits_for_space(std::uint32_t group) const override { return idle_ && slc_.oldest(group) != kNoBlockNumber; }
  bool may_copy_idle(std::uint32_t group) const override;
  bool gives_up(std::uint32_t group) const override {
    return blocks_.free_of_group(group) <= collector_.victims().low();
  }
  void put_back(GcUnit victim) override { slc_.put_back(victim); }
  void recovered() override { slc_.recovered(); }

  std::vector<BlockNumber>& open_blocks() override { return open_; }
  BlockNumber* next(std::uint32_t stream, std::uint32_t bank) override;
  Task<bool> open(std::uint32_t stream, std::uint32_t bank) override;
  void count_unit(BlockNumber block) override {
    ++(blocks_.in_slc_mode(block) ? counts_.units_written : counts_.units_past);
  }

 private:
  Task<BlockNumber> open_block(std::uint32_t stream, std::uint32_t bank);

  SlcBlocks slc_;
  HostBlocks& host_;
  FtlStatistics::SlcCache& counts_;
  std::uint32_t low_;  // SLC blocks below which folding keeps pace with the host; 0: no such folding
  bool idle_;          // the cache is folded in idle time
  std::vector<BlockNumber> open_;
};

/// Empties the oldest borrowed block for free space: its data fill at most the SLC capacity, and it returns a whole
/// normal block. So lending never leaves a die short of blocks.
class SlcGiveBack final : public VictimSource {
 public:
  SlcGiveBack(Collector& collector, const SlcBlocks& slc);

  bool wants(std::uint32_t group) const override { return slc_.oldest_borrowed(group) != kNoBlockNumber; }
  Task<bool> begin(std::uint32_t group) override;

 private:
  const SlcBlocks& slc_;
};

}  // namespace flashloom
