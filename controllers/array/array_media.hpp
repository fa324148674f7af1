// The persistent state of an array, found again after a power cut: superblocks of its drives, the write-intent bitmap,
// and the write-ahead journal in the host's NVRAM.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "models/common/sector_token.hpp"

namespace flashloom {

inline constexpr std::uint32_t kNoDrive = ~std::uint32_t{0};

/// New content of rows of a column.
struct JournalPart {
  std::uint32_t column = 0;
  std::uint64_t row = 0;  ///< bytes from the start of the chunk
  std::uint64_t length = 0;
  std::vector<SectorToken> tokens{};
};

/// What a stripe is about to become: all data written to its drives, or a trim of whole stripes.
struct JournalEntry {
  std::uint32_t stripe = 0;
  std::uint32_t trimmed = 0;  ///< number of stripes trimmed; 0: a write
  std::uint64_t bytes = 0;    ///< size in the journal
  std::uint64_t done = 0;     ///< number of the event at which all drives had it; 0: not yet
  std::vector<JournalPart> parts{};
  std::size_t used = 0;  ///< entries of `parts` in use; the others keep their memory for reuse

  JournalPart& add() {
    if (used == parts.size()) parts.emplace_back();
    return parts[used++];
  }
};

/// Header and checksum in front of each entry.
inline constexpr std::uint64_t kJournalHeader = 64;
constexpr std::uint64_t journal_entry_bytes(std::uint64_t sectors, std::uint32_t sector_bytes) {
  return kJournalHeader + sectors * sector_bytes;
}

struct ArrayMedia {
  std::vector<std::uint32_t> drives;  ///< by slot: its drive; kNoDrive: failed
  bool spare_taken = false;
  bool clean = true;  ///< nothing was written since the last flush of all drives
  /// Stripes whose content is unknown in some slots (bit mask): reads of these return media errors.
  std::map<std::uint32_t, std::uint32_t> lost;
  std::set<std::uint32_t> dirty_regions;              ///< regions whose bit in the bitmap is set
  std::deque<std::unique_ptr<JournalEntry>> journal;  ///< complete entries, in the order of completion

  std::unique_ptr<JournalEntry> take() {
    if (spare_entries_.empty()) return std::make_unique<JournalEntry>();
    std::unique_ptr<JournalEntry> entry = std::move(spare_entries_.back());
    spare_entries_.pop_back();
    entry->trimmed = 0;
    entry->done = 0;
    entry->used = 0;
    return entry;
  }
  void give(std::unique_ptr<JournalEntry> entry) { spare_entries_.push_back(std::move(entry)); }

 private:
  std::vector<std::unique_ptr<JournalEntry>> spare_entries_;
};

}  // namespace flashloom
