// The host memory buffer as the second level of a demand-paged map, for the FTL that pages it: what is in it (HostMap),
// its accesses (HostMemoryBuffer), and what must be over before the host has its memory back. Without a buffer it holds
// nothing, and asks nobody.
#pragma once

#include <cstdint>

#include "controllers/ftl/mapping/host_map.hpp"
#include "controllers/hardware/host_memory_buffer.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

class HostLevel {
 public:
  /// `memory`: null without a buffer. `pages` of the map, of `page_bytes` each, with entries of `entry_bytes`.
  HostLevel(HostMemoryBuffer* memory, std::uint32_t pages, std::uint32_t page_bytes, std::uint32_t entry_bytes,
            const PolicyChoice& replacement);

  bool holds(TranslationPage page) const { return map_.slots() != 0 && map_.holds(page); }
  /// Whether an entry of the page, which the map cache lacks, is there: a look-up.
  bool look_up(TranslationPage page);
  /// Changes when it is emptied: what was looked up before is not there any more. 0: no buffer.
  std::uint64_t tenure() const { return map_.tenure(); }

  /// The tenure in which a page that is about to be read from flash is to be kept; 0: it is not, since it is there, or
  /// there is no buffer, or the host has asked for it.
  std::uint64_t wants(TranslationPage page) const {
    return map_.slots() == 0 || memory_->granted() == 0 || map_.holds(page) ? 0 : map_.tenure();
  }
  /// Of a page that it wants. Returns one that differs from flash and leaves for it, to be written, and then
  /// has_left(); else kNoTranslationPage.
  TranslationPage put(TranslationPage page);
  void has_left() { --leaving_; }
  /// Pages that have lost their slot, and are not on flash yet.
  bool any_leaving() const { return leaving_ != 0; }

  /// Changed entries of the page go there, and not to flash.
  bool keeps_changes(TranslationPage page) const {
    return holds(page) && memory_->config().writes_back() && memory_->granted() != 0;
  }
  /// So many entries of such a page have changed, which are sent at once.
  Task<void> change(TranslationPage page, std::uint32_t entries);
  /// One has, which is sent by send_changes().
  void change_later(TranslationPage page) {
    map_.change(page);
    ++changed_;
  }
  bool any_to_send() const { return changed_ != 0; }
  Task<void> send_changes();
  /// The page, if it is there, is on flash as it is.
  void clean(TranslationPage page) {
    if (holds(page)) map_.clean(page);
  }
  /// A page that differs from flash, which the caller writes now; kNoTranslationPage: there is none.
  TranslationPage next_to_write();

  /// Reads lines of entries that were looked up in `tenure`. False: it is over, or they were lost on their way.
  Task<bool> read_lines(std::uint32_t lines, std::uint64_t tenure);
  /// Reads a page. False: it was lost.
  Task<bool> read_page();
  Task<void> write_page() { return memory_->write(1, page_bytes_); }

  /// Takes what is lent now, empty. Returns when reads of what was there are over.
  Task<void> renew();
  /// What was there is gone.
  void lose();

  void state(StateArchive& archive);

 private:
  HostMemoryBuffer* memory_;
  std::uint32_t page_bytes_;
  std::uint32_t entry_bytes_;
  HostMap map_;
  std::uint32_t changed_ = 0;  // entries to be sent
  bool lost_ = false;          // until the host lends memory again
  std::uint32_t leaving_ = 0;
  std::uint32_t reading_ = 0;  // reads of lines under way
  WaitList none_reading_;
};

}  // namespace flashloom
