// Blocks of the metadata log: where they come from, and where they go. The log may have reserved blocks
// (log_apart.hpp). Else it takes a block of some die; or members of GC units that it has taken, which then hold nothing
// else, and more GC units as it needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/collect/block_opener.hpp"
#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/recovery/metadata_log.hpp"

namespace flashloom {

class LogBlocks {
 public:
  LogBlocks(BlockTable& blocks, Collector& collector, FtlStatistics& statistics);

  /// Opens and dedicates a block for `log`, collecting garbage if no group has one to spare. Returns kNoBlockNumber if
  /// the device is worn down and none is left. Throws std::runtime_error if the device is full.
  Task<BlockNumber> take(const MetadataLog& log);
  void give_back(BlockNumber block);
  /// After a recovery: finds the GC units of the log by their dedicated members.
  void find();

  /// Saved states.
  void state(StateArchive& archive) { archive(gc_units_); }

 private:
  Task<BlockNumber> open_reserved();
  Task<BlockNumber> open_member(const MetadataLog& log);
  /// Free GC units that a group should have before the log takes one.
  std::uint32_t spare() const { return blocks_.spare().failure_reserve() + 2; }
  bool may_take(std::uint32_t group);
  std::uint32_t best_group(const MetadataLog& log) const;
  std::uint32_t log_of(const MetadataLog& log, std::uint32_t group) const;
  BlockNumber idle_member() const;

  BlockTable& blocks_;
  Collector& collector_;
  FtlStatistics& statistics_;
  std::vector<GcUnit> gc_units_;  // of several members, which belong to the log
};

}  // namespace flashloom
