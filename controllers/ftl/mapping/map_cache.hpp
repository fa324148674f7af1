// The cached mapping table (CMT) of a demand-paged map: which entries of the map are in the firmware's memory, and
// which of them differ from their translation page. It only decides; the FTL reads and writes the translation pages.
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
  /// `units` of the host, `entries_per_page` of a translation page, room for `entries`; `batch`: writing a page back
  /// cleans all of its entries.
  MapCache(std::uint64_t units, std::uint32_t entries_per_page, std::uint32_t entries, const PolicyChoice& replacement,
           bool batch);

  struct Result {
    bool hit;
    TranslationPage write_back = kNoTranslationPage;  ///< must be updated: the entry that left had changed
    std::uint32_t changed = 0;                        ///< entries of it that are clean now, the one that left included
  };
  /// An entry is needed, and brought in if it is not there. A write changes it.
  Result access(std::uint32_t unit, Access access);
  bool holds(std::uint32_t unit) const { return slot_of_.get(unit) != kNoSlot; }
  /// It is there, and differs from its translation page.
  bool differs(std::uint32_t unit) const { return dirty_.has(unit); }
  /// An entry has changed. False: it is not there.
  bool change(std::uint32_t unit) {
    if (!holds(unit)) return false;
    dirty_.set(unit);
    return true;
  }
  /// The page is being updated from all that is known: its entries are clean. Returns how many were not.
  std::uint32_t written(TranslationPage page);

  TranslationPage page_of(std::uint32_t unit) const { return static_cast<TranslationPage>(unit / entries_per_page_); }
  /// So many more entries fit without one that leaves.
  bool has_room(std::uint32_t more) const { return unit_of_.size() - filled_ >= more; }
  std::uint32_t entries() const { return static_cast<std::uint32_t>(unit_of_.size()); }

  void state(StateArchive& archive);

 private:
  std::uint64_t units_;
  std::uint32_t entries_per_page_;
  bool batch_;
  std::vector<std::uint32_t> unit_of_;  // by slot
  UnitMap slot_of_;                     // by unit
  UnitBits dirty_;                      // those of the units that are there
  std::uint32_t filled_ = 0;            // slots that were ever used: from 0 on
  std::unique_ptr<ReplacementPolicy> policy_;
};

}  // namespace flashloom
