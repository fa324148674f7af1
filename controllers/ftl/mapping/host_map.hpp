// The second level of a demand-paged map: copies of translation pages in the host memory buffer. It only decides; the
// FTL moves entries and pages over the link. In the drive's own memory is the directory: which page is where.
//
// Choices. Pages, where the map cache has entries: a directory of entries would take as much of the drive's own memory
// as the entries. A page comes in when it is read from flash for an entry; inclusive: an entry of it goes to the map
// cache, too, whose copy is the newer one. Source: K. Kim, T. Kim, "HMB in DRAM-less NVMe SSDs: their usage and effects
// on performance", PLOS ONE 2020: what drives keep there is their mapping table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/mapping/map_cache.hpp"
#include "controllers/hardware/hmb_config.hpp"

namespace flashloom {

/// Of the directory, a slot: number of the page, and its place in the order of replacement.
inline constexpr std::uint64_t kHostMapSlotBytes = 8;
/// In the drive's own memory, of a map of `pages` translation pages of `page_bytes` each.
inline std::uint64_t host_map_directory_bytes(const HmbConfig& hmb, std::uint32_t page_bytes, std::uint64_t pages) {
  return std::min(hmb.size / page_bytes, pages) * kHostMapSlotBytes;
}

class HostMap {
 public:
  /// `pages`: translation pages of the map.
  HostMap(std::uint32_t pages, const PolicyChoice& replacement) : replacement_(replacement), slot_of_(pages, kNoSlot) {}

  /// Room for so many pages, and none in it: another tenure begins.
  void resize(std::uint64_t slots);
  std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }

  /// Changes with each resize(): what it held before is not there any more.
  std::uint64_t tenure() const { return tenure_; }

  bool holds(TranslationPage page) const { return slot_of_[page] != kNoSlot; }
  /// An entry of a page that it holds is needed.
  void use(TranslationPage page) { policy_->referenced(slot_of_[page], Access::Read); }
  /// A page that it does not hold comes in. Returns the one that leaves for it if it differs from flash, else
  /// kNoTranslationPage. Nothing without slots.
  TranslationPage insert(TranslationPage page);
  /// Of a page that it holds: an entry changes in it alone.
  void change(TranslationPage page) { slots_[slot_of_[page]].dirty = true; }
  /// Of a page that it holds: it is being written to flash from all that is known.
  void clean(TranslationPage page) { slots_[slot_of_[page]].dirty = false; }
  /// A page that differs from flash, which is taken to be written now; kNoTranslationPage: there is none.
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
  std::uint32_t filled_ = 0;  // from 0 on
  std::uint32_t cleaning_ = 0;
  std::uint64_t tenure_ = 0;
  std::unique_ptr<ReplacementPolicy> policy_;
};

}  // namespace flashloom
