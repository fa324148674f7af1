// The second level of a demand-paged map: copies of translation pages in the host memory buffer. The drive's own memory
// holds the directory of pages.
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
#include "controllers/hardware/host_memory_buffer.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// Bytes of the directory per slot: page number, and position in the replacement order.
inline constexpr std::uint64_t kHostMapSlotBytes = 8;
/// Directory bytes in the drive's own memory, for a map of `pages` translation pages of `page_bytes` each.
inline std::uint64_t host_map_directory_bytes(const HmbConfig& hmb, std::uint32_t page_bytes, std::uint64_t pages) {
  return std::min(hmb.size / page_bytes, pages) * kHostMapSlotBytes;
}

/// The content of the buffer; it only makes decisions.
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

/// The buffer: its content, its accesses (HostMemoryBuffer), and what must end before the host gets its memory back.
/// Without a buffer it holds nothing and causes no access.
class HostLevel {
 public:
  /// `memory`: null without a buffer. `pages`: translation pages of the map, of `page_bytes` each, with entries of
  /// `entry_bytes`.
  HostLevel(HostMemoryBuffer* memory, std::uint32_t pages, std::uint32_t page_bytes, std::uint32_t entry_bytes,
            const PolicyChoice& replacement);

  bool holds(TranslationPage page) const { return map_.slots() != 0 && map_.holds(page); }
  /// Looks up an entry that the map cache lacks: whether its page is in the buffer.
  bool look_up(TranslationPage page);
  /// Number that changes whenever the buffer is emptied, which invalidates earlier look-ups. 0: no buffer.
  std::uint64_t tenure() const { return map_.tenure(); }

  /// The tenure in which a page about to be read from flash is to be kept; 0: it is not kept, because it is there
  /// already, there is no buffer, or the host has taken it back.
  std::uint64_t wants(TranslationPage page) const {
    return map_.slots() == 0 || memory_->granted() == 0 || map_.holds(page) ? 0 : map_.tenure();
  }
  /// Inserts a page for which wants() was not 0. Returns the dirty page evicted for it, which the caller must write and
  /// report with has_left(); else kNoTranslationPage.
  TranslationPage put(TranslationPage page);
  void has_left() { --leaving_; }
  /// Whether evicted dirty pages are not on flash yet.
  bool any_leaving() const { return leaving_ != 0; }

  /// Whether changed entries of the page are written to the buffer instead of flash.
  bool keeps_changes(TranslationPage page) const {
    return holds(page) && memory_->config().writes_back() && memory_->granted() != 0;
  }
  /// Sends `entries` changed entries of such a page at once.
  Task<void> change(TranslationPage page, std::uint32_t entries);
  /// Marks one changed entry, which send_changes() sends.
  void change_later(TranslationPage page) {
    map_.change(page);
    ++changed_;
  }
  bool any_to_send() const { return changed_ != 0; }
  Task<void> send_changes();
  /// Marks the page, if present, as equal to flash.
  void clean(TranslationPage page) {
    if (holds(page)) map_.clean(page);
  }
  /// A dirty page for the caller to write now; kNoTranslationPage: none.
  TranslationPage next_to_write();

  /// Reads lines of entries looked up in `tenure`. False if that tenure is over or the lines were lost in transit.
  Task<bool> read_lines(std::uint32_t lines, std::uint64_t tenure);
  /// Reads a page. False if it was lost.
  Task<bool> read_page();
  Task<void> write_page() { return memory_->write(1, page_bytes_); }

  /// Takes the memory lent now, empty. Returns when reads of the previous content have ended.
  Task<void> renew();
  /// The content is lost.
  void lose();

  void state(StateArchive& archive);

 private:
  HostMemoryBuffer* memory_;
  std::uint32_t page_bytes_;
  std::uint32_t entry_bytes_;
  HostMap map_;
  std::uint32_t changed_ = 0;  // changed entries to be sent
  bool lost_ = false;          // until the host lends memory again
  std::uint32_t leaving_ = 0;
  std::uint32_t reading_ = 0;  // reads of lines in flight
  WaitList none_reading_;
};

}  // namespace flashloom
