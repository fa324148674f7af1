// The host memory buffer as second level of a demand-paged map: its content (HostMap), its accesses (HostMemoryBuffer),
// and what must end before the host gets its memory back. Without a buffer it holds nothing and causes no access.
#pragma once

#include <cstdint>

#include "controllers/ftl/mapping/host_map.hpp"
#include "controllers/hardware/host_memory_buffer.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

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
  /// already, there is no buffer, or the host has reclaimed it.
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
