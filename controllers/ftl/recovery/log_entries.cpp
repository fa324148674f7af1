#include "controllers/ftl/recovery/log_entries.hpp"

#include <algorithm>

#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

std::uint64_t LogEntries::newest_epoch() const {
  std::uint64_t epoch = 0;
  std::uint64_t parts = 0;  // parts seen of the current snapshot
  for (const LogEntry& entry : entries_) {
    const std::vector<std::uint64_t>& words = *entry.words;
    if (words[0] != LogEntry::kSnapshot) continue;
    parts = words[2] == 0 ? 1 : words[2] == parts ? parts + 1 : 0;
    if (parts == words[3]) epoch = words[1];
  }
  return epoch;
}

void LogEntries::finish(MapKeeper& keeper) {
  std::sort(entries_.begin(), entries_.end(), [](const LogEntry& a, const LogEntry& b) { return a.number < b.number; });
  const std::uint64_t epoch = newest_epoch();
  std::uint64_t newest = 0;
  for (const LogEntry& entry : entries_) {
    const std::vector<std::uint64_t>& words = *entry.words;
    newest = std::max(newest, words[1]);
    if (words[1] != epoch) continue;  // obsolete, or an unfinished snapshot
    if (blocks_.empty() || blocks_.back() != entry.block) blocks_.push_back(entry.block);
    if (words[0] == LogEntry::kRecords)
      records_.push_back(entry);
    else
      snapshot_.insert(snapshot_.end(), words.begin() + LogEntry::kSnapshotHeader, words.end());
  }
  keeper.continue_epoch(epoch, newest);
  for (const BlockNumber block : blocks_) keeper.log().adopt(block);
  // Entries that do not count remain on flash until erased: their numbers must not be reused.
  keeper.log().continue_after(last_);
}

}  // namespace flashloom
