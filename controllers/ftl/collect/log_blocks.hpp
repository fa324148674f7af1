// Blocks of the metadata log: where they come from, and where they go. The log may have reserved blocks
// (log_apart.hpp). Else it takes a block of some die; or members of GC units that it has taken, which then hold nothing
// else, and more GC units as it needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

class LogBlocks : private FtlPart {
 public:
  explicit LogBlocks(Collector& collector) : FtlPart(collector), collector_(collector) {}

  /// Opens and dedicates a block for `log`, collecting garbage if no group has one to spare. Returns kNoBlockNumber if
  /// the device is worn down and none is left. Throws std::runtime_error if the device is full.
  Task<BlockNumber> take(const MetadataLog& log);
  void give_back(BlockNumber block);
  /// After a recovery: finds the GC units of the log by their dedicated members.
  void find();

  void state(StateArchive& archive) { archive(gc_units_); }

 private:
  /// Free GC units that a group should have before the log takes one.
  std::uint32_t spare() const { return blocks_.spare().failure_reserve() + 2; }
  bool may_take(std::uint32_t group);
  std::uint32_t best_group(const MetadataLog& log) const;
  std::uint32_t log_of(const MetadataLog& log, std::uint32_t group) const;
  BlockNumber idle_member() const;

  Collector& collector_;
  std::vector<GcUnit> gc_units_;  // of several members, which belong to the log
};

}  // namespace flashloom
