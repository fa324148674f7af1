// What all replacement policies share, and what each must have. The owner (SlotPolicy, CacheModel) calls
//
//   hit(entry, access)     a resident page is referenced; entry.dirty is still what it was before
//   miss(ghost, access)    a page is missing and will enter; `ghost` is its entry if it is remembered, else kNoPage.
//   The
//                          policy adapts, and gives up ghosts where its rules say so
//   victim()               the resident page that leaves next, kNoPage if there is none; may rearrange pages (second
//                          chances), but asked twice in a row it names the same
//   evict(entry)           a resident page leaves, proposed or not: its entry becomes a ghost, or is released
//   insert(entry, access)  the missing page enters: in the entry that miss() was given, or in a fresh one;
//                          entry.dirty says whether it is dirty
//   remove(entry)          a page was discarded: nothing is remembered of it
//   cleaned(entry)         a resident page was written back and stays; entry.dirty is still set
//
// and after each miss() evict() as often as the capacity demands, then insert(). Lists 0 ... kResident - 1 hold
// resident pages, those from kResident to kLists - 1 ghosts. A policy that needs no call of these leaves it out.
//
// Further, where a policy has them:
//   clean_victim()         the clean page that leaves next; else the owner takes the victim if it is clean, or the
//                          clean page referenced longest ago
//   companions(victim, out)  pages that leave together with the victim
//   remapped(entry)        the resident page's object was mapped or unmapped (context.mapped says which)
//   kReal                  lists from this number to kResident - 1 are ghosts that keep their data, dirty (DLD-ARC)
//   own_room(), gone()     with own_room() miss(), hit() and cleaned() make room themselves, and gone() says which pages
//                          left (GoneEntry)
//   admits()               after miss(): false if the page passes by the cache (offline bounds)
//   kOffline, foresee(..)  it must know the future: positions of the page's next reference and of its next write
//   describe(picture)      its lists by name and its variables, for tests and for people who learn
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "policies/replacement/page_lists.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom {

/// A page that left memory.
struct GonePage {
  std::uint32_t page;
  bool written;
  bool operator==(const GonePage&) const = default;
};

/// The same, with the entry in which it was.
struct GoneEntry : GonePage {
  PageIndex entry;
};

/// What a policy holds, by name: lists of page numbers from the end that is safest (most recent) to the one where pages
/// leave, and variables.
struct PolicyPicture {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> lists;
  std::vector<std::pair<std::string, double>> values;
};

template <class PageEntryType, std::uint8_t kListCount, std::uint8_t kResidentLists>
class PolicyCore {
 public:
  using Entry = PageEntryType;
  using Lists = PageLists<Entry, kListCount>;
  static constexpr std::uint8_t kLists = kListCount;
  static constexpr std::uint8_t kResident = kResidentLists;
  static constexpr std::uint8_t kReal = kResident;
  static_assert(std::is_same_v<decltype(&Entry::next), PageIndex PageEntry::*>, "an entry hides its links");
  static constexpr bool kGhosts = kLists > kResident;
  static constexpr bool kInOrder = false;  ///< EvictionTraits::in_order
  static constexpr bool kOffline = false;
  static constexpr bool kAsksCost = false;  ///< of context.oracle

  Lists& pages() { return pages_; }
  const Lists& pages() const { return pages_; }
  bool resident(PageIndex page) const { return pages_[page].list < kResident; }
  bool ghost(PageIndex page) const { return pages_[page].list >= kResident && pages_[page].list < kLists; }

  void miss(PageIndex ghost, Access) { begin_miss(ghost); }
  void remove(PageIndex page) { pages_.release(page); }
  void cleaned(PageIndex) {}
  /// The ghost that miss() was given.
  PageIndex entering() const { return entering_; }
  bool own_room() const { return false; }
  bool admits() const { return true; }
  std::size_t bytes() const { return pages_.bytes(); }
  void state(StateArchive& archive) {
    pages_.state(archive);
    if constexpr (kGhosts) archive(entering_);
  }

 protected:
  /// Room for the resident pages, `ghosts` that are remembered, and the one that is entering.
  explicit PolicyCore(const ReplacementContext& context, std::uint32_t ghosts = 0)
      : pages_(context.slot_count() + ghosts + (kGhosts ? 1 : 0), context.memory) {}
  ~PolicyCore() = default;

  /// To be called by miss(): from now on `ghost` is not released before it enters.
  void begin_miss(PageIndex ghost) {
    if constexpr (kGhosts) {
      if (entering_ != kNoPage && pages_[entering_].list == PageEntry::kDetached) pages_.release(entering_);
      entering_ = ghost;
    }
  }
  /// A ghost is given up.
  void forget(PageIndex page) {
    if (page == entering_)
      pages_.detach(page);
    else
      pages_.release(page);
  }
  /// Second chances: pages at the back of the list that `spares` go to its front. The first one that it does not spare;
  /// kNoPage if the list is empty.
  template <class Spares>
  PageIndex spare_from_back(std::uint8_t list, Spares spares) {
    PageIndex page = pages_.back(list);
    while (page != kNoPage && spares(pages_[page])) {
      pages_.move_to_front(list, page);
      page = pages_.back(list);
    }
    return page;
  }
  /// To be called by insert() of a policy with ghosts.
  void enter(std::uint8_t list, PageIndex page) {
    pages_.move_to_front(list, page);
    entering_ = kNoPage;
  }

  std::vector<std::uint32_t> numbers(std::uint8_t list) const {
    std::vector<std::uint32_t> numbers;
    for (PageIndex page = pages_.front(list); page != kNoPage; page = pages_.after(page))
      numbers.push_back(pages_[page].tag);
    return numbers;
  }

  Lists pages_;

 private:
  PageIndex entering_ = kNoPage;
};

}  // namespace flashloom
