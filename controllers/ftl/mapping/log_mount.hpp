// What a mount of a block-mapped FTL takes from the metadata log: trims and, with checkpoints, the block map.
#pragma once

#include "controllers/ftl/mapping/block_resolver.hpp"
#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

class LogMount : private MappedPart {
 public:
  LogMount(const MappedTables& tables, const BlockResolver::Parts& parts, MapKeeper& keeper, bool checkpoints);

  /// Takes the trims, and the blocks of the log.
  void use(const LogEntries& log);
  /// Takes what checkpoint and journal say, then reads what they do not cover. The versions of data in the checkpoint
  /// are unknown; they are read where they decide whether data written since are newer, or copies of a merge.
  Task<void> recover_from_checkpoint(BlockScan& scan);

 private:
  const MappedTables tables_;
  BlockResolver::Parts parts_;
  MapKeeper& keeper_;
  bool checkpoints_;
};

}  // namespace flashloom
