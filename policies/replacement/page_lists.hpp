// Doubly linked lists of pages over a slab: the basis of every replacement policy. A page is a slab entry, named by its
// index; it is in one list, or free. Links are 32-bit indices through sentinels, so that no operation branches on an
// end; nothing is allocated after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

using PageIndex = std::uint32_t;
inline constexpr PageIndex kNoPage = ~PageIndex{0};

/// 16 bytes. Policies derive from it if they need more (without padding: saved states contain its raw bytes).
struct PageEntry {
  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};
  static constexpr std::uint8_t kFree = 255;      ///< value of `list`
  static constexpr std::uint8_t kDetached = 254;  ///< value of `list`: a ghost whose page is entering

  std::uint32_t tag = kNoTag;  ///< the page's number, which the owner sets; kNoTag while free
  PageIndex previous = kNoPage;
  PageIndex next = kNoPage;
  std::uint8_t list = kFree;
  bool dirty = false;      ///< set by the owner: before insert() and after hit()
  std::uint8_t mark = 0;   ///< for the policy, e.g. a reference bit
  std::uint8_t spare = 0;  ///< the policy's
};

/// 12 bytes: links for a second order over the same pages.
struct OrderEntry {
  PageIndex previous = kNoPage;
  PageIndex next = kNoPage;
  std::uint8_t list = PageEntry::kFree;
  std::uint8_t spare[3] = {};
};

/// `kLists` lists over `n` entries.
template <class Entry, std::uint8_t kLists>
class PageLists {
 public:
  explicit PageLists(std::uint32_t n, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : entries_(std::size_t{n} + kLists, memory), pages_(n) {
    for (std::uint8_t list = 0; list < kLists; ++list) {
      Entry& sentinel = entries_[n + list];
      sentinel.previous = sentinel.next = n + list;
      sentinel.list = list;
    }
    for (PageIndex page = n; page-- > 0;) {
      entries_[page].next = free_;
      free_ = page;
    }
  }

  std::uint32_t pages() const { return pages_; }
  Entry& operator[](PageIndex page) { return entries_[page]; }
  const Entry& operator[](PageIndex page) const { return entries_[page]; }
  std::uint32_t size(std::uint8_t list) const { return sizes_[list]; }
  bool empty(std::uint8_t list) const { return sizes_[list] == 0; }
  /// kNoPage if the list is empty.
  PageIndex front(std::uint8_t list) const { return page_or_none(entries_[pages_ + list].next); }
  PageIndex back(std::uint8_t list) const { return page_or_none(entries_[pages_ + list].previous); }
  /// The neighbour towards the front; kNoPage if there is none.
  PageIndex before(PageIndex page) const { return page_or_none(entries_[page].previous); }
  /// The neighbour towards the back; kNoPage if there is none.
  PageIndex after(PageIndex page) const { return page_or_none(entries_[page].next); }

  /// Takes a free entry; kNoPage if there is none.
  PageIndex allocate() {
    const PageIndex page = free_;
    if (page != kNoPage) free_ = entries_[page].next;
    return page;
  }
  /// Removes an entry from its list and frees it.
  void release(PageIndex page) {
    unlink(page);
    Entry& entry = entries_[page];
    entry.list = PageEntry::kFree;
    if constexpr (requires { entry.tag; }) entry.tag = PageEntry::kNoTag;
    entry.next = free_;
    free_ = page;
  }
  /// Removes an entry from its list without freeing it.
  void detach(PageIndex page) {
    unlink(page);
    entries_[page].list = PageEntry::kDetached;
  }
  /// Inserts an entry that is in no list.
  void push_front(std::uint8_t list, PageIndex page) { link(list, page, pages_ + list, entries_[pages_ + list].next); }
  void push_back(std::uint8_t list, PageIndex page) {
    link(list, page, entries_[pages_ + list].previous, pages_ + list);
  }
  /// Inserts an entry that is in no list before `other`, towards the front.
  void push_before(PageIndex other, PageIndex page) {
    link(entries_[other].list, page, entries_[other].previous, other);
  }
  /// Inserts a page into a list that is sorted by `order`, at its place. Walks towards the back.
  template <class Order>
  void push_in_order(std::uint8_t list, PageIndex page, const Order& order) {
    PageIndex older = order.after(page);
    while (older != kNoPage && entries_[older].list != list) older = order.after(older);
    if (older == kNoPage)
      push_back(list, page);
    else
      push_before(older, page);
  }
  /// Inserts an entry that is in no list behind `other`, towards the back.
  void push_after(PageIndex other, PageIndex page) { link(entries_[other].list, page, other, entries_[other].next); }
  /// Moves an entry from its list, if any, to the front of another.
  void move_to_front(std::uint8_t list, PageIndex page) {
    unlink(page);
    push_front(list, page);
  }
  void move_to_back(std::uint8_t list, PageIndex page) {
    unlink(page);
    push_back(list, page);
  }

  /// Size of an entry, and of the whole slab.
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }
  std::size_t bytes() const { return entries_.size() * sizeof(Entry); }
  /// Prefetches the memory that move_to_front() will touch, in two steps. Forced inline, since GCC removes calls of
  /// functions that only prefetch as having no effect.
  [[gnu::always_inline]] void prefetch(PageIndex page) const { __builtin_prefetch(entries_.data() + page); }
  [[gnu::always_inline]] void prefetch_neighbours(PageIndex page) const {
    __builtin_prefetch(entries_.data() + entries_[page].previous);
    __builtin_prefetch(entries_.data() + entries_[page].next);
  }

  void state(StateArchive& archive) {
    archive(sizes_, free_);
    archive.table(entries_.data(), entries_.size());
  }

 private:
  PageIndex page_or_none(PageIndex page) const { return page < pages_ ? page : kNoPage; }
  void unlink(PageIndex page) {
    Entry& entry = entries_[page];
    if (entry.list >= kLists) return;
    entries_[entry.previous].next = entry.next;
    entries_[entry.next].previous = entry.previous;
    --sizes_[entry.list];
  }
  void link(std::uint8_t list, PageIndex page, PageIndex previous, PageIndex next) {
    Entry& entry = entries_[page];
    entry.previous = previous;
    entry.next = next;
    entry.list = list;
    entries_[previous].next = page;
    entries_[next].previous = page;
    ++sizes_[list];
  }

  std::pmr::vector<Entry> entries_;  // pages, then one sentinel a list
  std::uint32_t pages_;
  std::array<std::uint32_t, kLists> sizes_{};
  PageIndex free_ = kNoPage;
};

}  // namespace flashloom
