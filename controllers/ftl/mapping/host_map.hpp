// The second level of a demand-paged map: copies of translation pages in the host memory buffer. This class only makes
// decisions; the FTL moves entries and pages over the link. The drive's own memory holds the directory of pages.
//
// Choices. The buffer holds whole pages, while the map cache holds entries: a directory of entries would need as much
// of the drive's own memory as the entries. A page is inserted when it is read from flash for an entry. The levels are
// inclusive: the entry also goes to the map cache, whose copy is the newer one. Source: K. Kim, T. Kim, "HMB in
// DRAM-less NVMe SSDs: their usage and effects on performance", PLOS ONE 2020: drives keep their mapping table there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/mapping/map_cache.hpp"
#include "controllers/hardware/hmb_config.hpp"

namespace flashloom {

/// Bytes of the directory per slot: page number, and position in the replacement order.
inline constexpr std::uint64_t kHostMapSlotBytes = 8;
/// Directory bytes in the drive's own memory, for a map of `pages` translation pages of `page_bytes` each.
inline std::uint64_t host_map_directory_bytes(const HmbConfig& hmb, std::uint32_t page_bytes, std::uint64_t pages) {
  return std::min(hmb.size / page_bytes, pages) * kHostMapSlotBytes;
}

class HostMap {
 public:
  /// `pages`: translation pages of the map.
  HostMap(std::uint32_t pages, const PolicyChoice& replacement) : replacement_(replacement), slot_of_(pages, kNoSlot) {}

  /// Sets the number of slots and empties them: another tenure begins.
  void resize(std::uint64_t slots);
  std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }

  /// Number that changes with each resize(), which invalidates earlier look-ups.
  std::uint64_t tenure() const { return tenure_; }

  bool holds(TranslationPage page) const { return slot_of_[page] != kNoSlot; }
  /// An entry of a page in the buffer is needed.
  void use(TranslationPage page) { policy_->referenced(slot_of_[page], Access::Read); }
  /// Inserts a page that is not in the buffer. Returns the page evicted for it if that is dirty, else
  /// kNoTranslationPage. Does nothing without slots.
  TranslationPage insert(TranslationPage page);
  /// Marks a page in the buffer as dirty: an entry has changed only there.
  void change(TranslationPage page) { slots_[slot_of_[page]].dirty = true; }
  /// Marks a page in the buffer as clean: it is being written to flash with all changes.
  void clean(TranslationPage page) { slots_[slot_of_[page]].dirty = false; }
  /// Takes a dirty page to be written now, and marks it clean; kNoTranslationPage if there is none.
  TranslationPage clean_one();

  void state(StateArchive& archive);

 private:
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  struct Slot {
    TranslationPage page = kNoTranslationPage;
    bool dirty = false;
    void state(StateArchive& archive) { archive(page, dirty); }
  };

  PolicyChoice replacement_;
  std::vector<std::uint32_t> slot_of_;  // by page
  std::vector<Slot> slots_;
  std::uint32_t filled_ = 0;  // slots in use, from 0 on
  std::uint32_t cleaning_ = 0;
  std::uint64_t tenure_ = 0;
  std::unique_ptr<ReplacementPolicy> policy_;
};

}  // namespace flashloom
