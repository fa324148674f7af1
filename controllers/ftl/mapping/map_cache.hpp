// The cached mapping table (CMT) of a demand-paged map: which map entries are in firmware memory, and which of them are
// dirty (differ from their translation page). It only makes decisions; the FTL reads and writes the translation pages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/unit_bits.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "policies/parameters.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// A translation page holds the entries of consecutive logical units; pages are numbered from 0.
using TranslationPage = std::uint32_t;
inline constexpr TranslationPage kNoTranslationPage = ~TranslationPage{0};

class MapCache {
 public:
  /// `units`: of the host; `entries_per_page`: of a translation page; `entries`: capacity; `batch`: writing a page back
  /// cleans all of its entries.
  MapCache(std::uint64_t units, std::uint32_t entries_per_page, std::uint32_t entries, const PolicyChoice& replacement,
           bool batch);

  struct Result {
    bool hit;
    TranslationPage write_back = kNoTranslationPage;  ///< page to be updated: the evicted entry was dirty
    std::uint32_t changed = 0;                        ///< its entries that are clean now, including the evicted one
  };
  /// Looks up an entry, and inserts it if missing. A write makes it dirty.
  Result access(std::uint32_t unit, Access access);
  bool holds(std::uint32_t unit) const { return slot_of_.get(unit) != kNoSlot; }
  /// Whether the entry is cached and dirty.
  bool differs(std::uint32_t unit) const { return dirty_.has(unit); }
  /// Marks an entry as changed. False if it is not cached.
  bool change(std::uint32_t unit) {
    if (!holds(unit)) return false;
    dirty_.set(unit);
    return true;
  }
  /// The page is being updated with all changes: marks its entries clean. Returns how many were dirty.
  std::uint32_t written(TranslationPage page);

  TranslationPage page_of(std::uint32_t unit) const { return static_cast<TranslationPage>(unit / entries_per_page_); }
  /// Whether `more` further entries fit without an eviction.
  bool has_room(std::uint32_t more) const { return unit_of_.size() - filled_ >= more; }
  std::uint32_t entries() const { return static_cast<std::uint32_t>(unit_of_.size()); }

  void state(StateArchive& archive);

 private:
  std::uint64_t units_;
  std::uint32_t entries_per_page_;
  bool batch_;
  std::vector<std::uint32_t> unit_of_;  // by slot
  UnitMap slot_of_;                     // by unit
  UnitBits dirty_;                      // of the cached units
  std::uint32_t filled_ = 0;            // slots ever used, from 0 on
  std::unique_ptr<ReplacementPolicy> policy_;
};

}  // namespace flashloom
