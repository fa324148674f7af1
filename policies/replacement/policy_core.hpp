// What all replacement policies share, and the interface of each. The owner (SlotPolicy, CacheModel) calls
//
//   hit(entry, access)     a resident page is referenced; entry.dirty is not updated yet
//   miss(ghost, access)    a page is missing and will enter; `ghost` is its entry if it is a ghost, else kNoPage.
//                          The policy adapts, and drops ghosts where its rules say so
//   victim()               the resident page to evict next, kNoPage if there is none; may rearrange pages (second
//                          chances), but returns the same page if called twice in a row
//   evict(entry)           a resident page is evicted, victim or not: its entry becomes a ghost, or is released
//   insert(entry, access)  the missing page enters: in the entry that miss() was given, or in a fresh one;
//                          entry.dirty says whether it is dirty
//   remove(entry)          a page was discarded: the policy forgets it
//   cleaned(entry)         a resident page was written back and stays; entry.dirty is still set
//
// and after each miss() calls evict() as often as the capacity demands, then insert(). Lists 0 ... kResident - 1 hold
// resident pages, lists kResident to kLists - 1 ghosts. A policy may leave out calls that it does not need.
//
// Optional members:
//   clean_victim()         the clean page to evict next; default: the victim if it is clean, else the least recently
//                          used clean page
//   companions(victim, out)  pages to evict together with the victim
//   remapped(entry)        the resident page's object was mapped or unmapped (context.mapped says which)
//   kReal                  lists kReal to kResident - 1 are ghosts that keep their dirty data (DLD-ARC)
//   own_room(), gone()     own_room(): miss(), hit() and cleaned() evict by themselves, and gone() lists the evicted
//                          pages (GoneEntry)
//   admits()               after miss(): false if the page bypasses the cache (offline bounds)
//   kOffline, foresee(..)  the policy needs the future: positions of the page's next reference and next write
//   describe(picture)      its lists by name and its variables, for tests and for teaching
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

/// Same, with the entry that the page had.
struct GoneEntry : GonePage {
  PageIndex entry;
};

/// State of a policy, by name: lists of page numbers, from the most protected (most recent) end to the eviction end;
/// and variables.
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
  static constexpr bool kAsksCost = false;  ///< it uses context.oracle

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
  /// Allocates entries for the resident pages, `ghosts` ghosts, and the page that is entering.
  explicit PolicyCore(const ReplacementContext& context, std::uint32_t ghosts = 0)
      : pages_(context.slot_count() + ghosts + (kGhosts ? 1 : 0), context.memory) {}
  ~PolicyCore() = default;

  /// miss() must call it: protects `ghost` from release until its page has entered.
  void begin_miss(PageIndex ghost) {
    if constexpr (kGhosts) {
      if (entering_ != kNoPage && pages_[entering_].list == PageEntry::kDetached) pages_.release(entering_);
      entering_ = ghost;
    }
  }
  /// Drops a ghost.
  void forget(PageIndex page) {
    if (page == entering_)
      pages_.detach(page);
    else
      pages_.release(page);
  }
  /// Second chances: moves pages at the back of the list to its front while `spares` spares them. Returns the first
  /// page that is not spared; kNoPage if the list is empty.
  template <class Spares>
  PageIndex spare_from_back(std::uint8_t list, Spares spares) {
    PageIndex page = pages_.back(list);
    while (page != kNoPage && spares(pages_[page])) {
      pages_.move_to_front(list, page);
      page = pages_.back(list);
    }
    return page;
  }
  /// insert() of a policy with ghosts must call it.
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
