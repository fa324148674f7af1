// A list of pages by their number of references, most first, ties by recency. O(1) a
// reference (Shah, Mitra, Matani, An O(1) algorithm for implementing the LFU cache eviction scheme, 2010).
#pragma once

#include <cstdint>
#include <vector>

#include "policies/replacement/page_lists.hpp"

namespace flashloom {

/// 24 bytes.
struct FrequencyEntry : PageEntry {
  std::uint32_t references = 0;  ///< since the page entered
  std::uint32_t group = 0;       ///< pages with one number of references in a list; for FrequencyOrder
};

/// Orders list `list` of `pages`; pages with one number of references are adjacent, and their first one is stored.
template <class Lists>
class FrequencyOrder {
 public:
  explicit FrequencyOrder(std::uint32_t most_pages) : heads_(std::size_t{most_pages} + 1) {
    free_.reserve(heads_.size());
    for (auto group = static_cast<std::uint32_t>(heads_.size()); group-- > 0;) free_.push_back(group);
  }

  /// Inserts a page that is in no list, by its `references`.
  void insert(Lists& pages, std::uint8_t list, PageIndex page) {
    // Skips the pages with fewer references, group by group. A new page belongs at the end: one step.
    PageIndex last = pages.back(list);
    while (last != kNoPage && pages[last].references < pages[page].references)
      last = pages.before(heads_[pages[last].group]);
    if (last != kNoPage && pages[last].references == pages[page].references) {
      join(pages, page, pages[last].group);
      return;
    }
    if (last == kNoPage)
      pages.push_front(list, page);
    else
      pages.push_after(last, page);
    open_group(pages, page);
  }
  /// Counts one more reference to a page of the list.
  void reference(Lists& pages, PageIndex page) {
    auto& entry = pages[page];
    const PageIndex head = heads_[entry.group];
    const PageIndex above = pages.before(head);  // the last of the next group
    const bool joins = above != kNoPage && pages[above].references == entry.references + 1;
    if (!joins && head == page && is_last_of_group(pages, page)) {  // it is alone in its group, and keeps its place
      ++entry.references;
      return;
    }
    const std::uint8_t list = entry.list;
    leave_group(pages, page);
    pages.detach(page);
    ++entry.references;
    if (joins) {
      join(pages, page, pages[above].group);
      return;
    }
    if (above == kNoPage)
      pages.push_front(list, page);
    else
      pages.push_after(above, page);
    open_group(pages, page);
  }
  /// Removes a page from the list without freeing its entry.
  void remove(Lists& pages, PageIndex page) {
    leave_group(pages, page);
    pages.detach(page);
  }

  std::size_t bytes() const { return (heads_.size() + free_.capacity()) * sizeof(std::uint32_t); }
  void state(StateArchive& archive) { archive(heads_, free_); }

 private:
  bool is_last_of_group(const Lists& pages, PageIndex page) const {
    const PageIndex after = pages.after(page);
    return after == kNoPage || pages[after].group != pages[page].group;
  }
  void join(Lists& pages, PageIndex page, std::uint32_t group) {
    pages.push_before(heads_[group], page);
    pages[page].group = group;
    heads_[group] = page;
  }
  void open_group(Lists& pages, PageIndex page) {
    const std::uint32_t group = free_.back();
    free_.pop_back();
    pages[page].group = group;
    heads_[group] = page;
  }
  void leave_group(Lists& pages, PageIndex page) {
    const std::uint32_t group = pages[page].group;
    if (heads_[group] != page) return;
    if (is_last_of_group(pages, page))
      free_.push_back(group);
    else
      heads_[group] = pages.after(page);
  }

  std::vector<PageIndex> heads_;  // by group
  std::vector<std::uint32_t> free_;
};

}  // namespace flashloom
