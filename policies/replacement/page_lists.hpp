// Lists of pages over a slab: what every replacement policy is made of. A page is an entry of the slab, named by its
// index; it is in one list, or free. Doubly linked by 32-bit indices through sentinels, so that no operation branches
// on an end; nothing is allocated after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

using PageIndex = std::uint32_t;
inline constexpr PageIndex kNoPage = ~PageIndex{0};

/// 16 bytes. Policies that need more derive from it (without padding: it is written to saved states as it lies).
struct PageEntry {
  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};
  static constexpr std::uint8_t kFree = 255;      ///< of `list`
  static constexpr std::uint8_t kDetached = 254;  ///< of `list`: a ghost whose page is entering

  std::uint32_t tag = kNoTag;  ///< the page's number, which the owner sets; kNoTag while free
  PageIndex previous = kNoPage;
  PageIndex next = kNoPage;
  std::uint8_t list = kFree;
  bool dirty = false;      ///< the owner sets it: before insert() and after hit()
  std::uint8_t mark = 0;   ///< the policy's, as a reference bit
  std::uint8_t spare = 0;  ///< the policy's
};

/// 12 bytes: of a second order over the same pages.
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
  /// kNoPage when it is empty.
  PageIndex front(std::uint8_t list) const { return page_or_none(entries_[pages_ + list].next); }
  PageIndex back(std::uint8_t list) const { return page_or_none(entries_[pages_ + list].previous); }
  /// Towards the front; kNoPage at its end.
  PageIndex before(PageIndex page) const { return page_or_none(entries_[page].previous); }
  /// Towards the back.
  PageIndex after(PageIndex page) const { return page_or_none(entries_[page].next); }

  /// Takes a free entry; kNoPage if there is none.
  PageIndex allocate() {
    const PageIndex page = free_;
    if (page != kNoPage) free_ = entries_[page].next;
    return page;
  }
  /// Puts an entry back, out of its list.
  void release(PageIndex page) {
    unlink(page);
    Entry& entry = entries_[page];
    entry.list = PageEntry::kFree;
    if constexpr (requires { entry.tag; }) entry.tag = PageEntry::kNoTag;
    entry.next = free_;
    free_ = page;
  }
  /// Out of its list; the entry stays taken.
  void detach(PageIndex page) {
    unlink(page);
    entries_[page].list = PageEntry::kDetached;
  }
  /// An entry that is in no list goes into one.
  void push_front(std::uint8_t list, PageIndex page) { link(list, page, pages_ + list, entries_[pages_ + list].next); }
  void push_back(std::uint8_t list, PageIndex page) {
    link(list, page, entries_[pages_ + list].previous, pages_ + list);
  }
  /// Before `other`, towards the front.
  void push_before(PageIndex other, PageIndex page) {
    link(entries_[other].list, page, entries_[other].previous, other);
  }
  /// At its place among those of the list, by the order in which `order` has them all. Walks towards the back.
  template <class Order>
  void push_in_order(std::uint8_t list, PageIndex page, const Order& order) {
    PageIndex older = order.after(page);
    while (older != kNoPage && entries_[older].list != list) older = order.after(older);
    if (older == kNoPage)
      push_back(list, page);
    else
      push_before(older, page);
  }
  /// Behind `other`, towards the back.
  void push_after(PageIndex other, PageIndex page) { link(entries_[other].list, page, other, entries_[other].next); }
  /// An entry goes from the list in which it is, if any, into one.
  void move_to_front(std::uint8_t list, PageIndex page) {
    unlink(page);
    push_front(list, page);
  }
  void move_to_back(std::uint8_t list, PageIndex page) {
    unlink(page);
    push_back(list, page);
  }

  /// Bytes of an entry, and of all.
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }
  std::size_t bytes() const { return entries_.size() * sizeof(Entry); }
  /// What move_to_front() is going to touch, in two steps. Inlined by order: GCC takes a call of what only prefetches
  /// for one without effect.
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

  std::pmr::vector<Entry> entries_;  // pages, then a sentinel a list
  std::uint32_t pages_;
  std::array<std::uint32_t, kLists> sizes_{};
  PageIndex free_ = kNoPage;
};

}  // namespace flashloom
