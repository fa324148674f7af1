#include "controllers/ftl/mapping/log_mount.hpp"

#include <algorithm>
#include <vector>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

LogMount::LogMount(const MappedTables& tables, const BlockResolver::Parts& parts, MapKeeper& keeper, bool checkpoints)
    : MappedPart(tables), tables_(tables), parts_(parts), keeper_(keeper), checkpoints_(checkpoints) {}

void LogMount::use(const LogEntries& log) {
  const auto bury = [this](std::uint32_t unit, std::uint64_t version) {
    parts_.newest_version = std::max(parts_.newest_version, version);
    if (!fault(Fault::TombstoneIgnored)) parts_.tombstones.bury(unit, version);
  };
  const std::vector<std::uint64_t>& snapshot = log.snapshot();
  for (std::size_t i = LogEntry::kTombstones; i < snapshot.size() && !checkpoints_; ++i)
    bury(layout_.unit(snapshot[i]), layout_.version(snapshot[i]));
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log.records()) {
    const auto trim = [&](std::uint32_t first, std::uint32_t count, std::uint64_t version) {
      for (std::uint32_t unit = first; unit < first + count && !skip; ++unit) bury(unit, version);
    };
    entry.each_record(units_per_program_, trim, [](const std::uint64_t*) {});
    skip = false;
  }
  for (const BlockNumber block : log.blocks()) blocks_.restore_dedicated(block);
}

Task<void> LogMount::recover_from_checkpoint(BlockScan& scan) {
  co_await scan.look();
  LogEntries& log = scan.log();
  log.finish(keeper_);
  use(log);
  std::uint64_t newest = 0;
  if (const std::vector<std::uint64_t>& snapshot = log.snapshot(); !snapshot.empty()) {
    newest = snapshot[0];
    parts_.newest_version = std::max(parts_.newest_version, newest);
    std::vector<BlockImage::Entry> entries;
    BlockImage::each(snapshot.data() + MapKeeper::kImage, context_.geometry,
                     [&entries](const BlockImage::Entry& entry) { entries.push_back(entry); });
    if (fault(Fault::EntryForgotten) && !entries.empty()) entries.pop_back();
    co_await scan.cover(snapshot[1], entries);
  }
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log.records()) {
    entry.each_record(
        units_per_program_, [](std::uint32_t, std::uint32_t, std::uint64_t) {},
        [&](const std::uint64_t* record) {
          scan.take_record(static_cast<BlockNumber>(record[1] >> 32), static_cast<std::uint32_t>(record[1]), record[2],
                           skip ? nullptr : record + 3);
        });
    skip = false;
  }
  co_await scan.run_rest();
  co_await scan.read_versions(BlockResolver(tables_, parts_, scan).doubtful(newest));
}

}  // namespace flashloom
