// Hash table from page numbers to slab entries, with open addressing, eight bytes a row, of fixed size.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "policies/replacement/page_lists.hpp"

namespace flashloom {

/// An entry has at most one page.
class PageTable {
 public:
  PageTable() = default;
  explicit PageTable(std::uint32_t entries)
      : rows_(std::bit_ceil(std::size_t{entries} * 2 + 2)),
        page_of_(entries, PageEntry::kNoTag),
        mask_(rows_.size() - 1) {}

  /// The page's entry; kNoPage if there is none.
  PageIndex find(std::uint32_t page) const {
    for (std::size_t at = home(page);; at = (at + 1) & mask_) {
      if (rows_[at].entry == kNoPage) return kNoPage;
      if (rows_[at].page == page) return rows_[at].entry;
    }
  }
  /// Maps `page` to `entry`, instead of the entry's previous page.
  void put(std::uint32_t page, PageIndex entry) {
    if (page_of_[entry] != PageEntry::kNoTag) erase(page_of_[entry]);
    page_of_[entry] = page;
    std::size_t at = home(page);
    while (rows_[at].entry != kNoPage && rows_[at].page != page) at = (at + 1) & mask_;
    if (rows_[at].entry != kNoPage) page_of_[rows_[at].entry] = PageEntry::kNoTag;
    rows_[at] = {page, entry};
    page_of_[entry] = page;
  }
  void erase(std::uint32_t page) {
    std::size_t at = home(page);
    while (rows_[at].page != page) {
      if (rows_[at].entry == kNoPage) return;
      at = (at + 1) & mask_;
    }
    if (rows_[at].entry == kNoPage) return;
    page_of_[rows_[at].entry] = PageEntry::kNoTag;
    // Moves up later rows whose probe sequence includes this one.
    for (std::size_t next = (at + 1) & mask_; rows_[next].entry != kNoPage; next = (next + 1) & mask_) {
      if (((next - home(rows_[next].page)) & mask_) < ((next - at) & mask_)) continue;
      rows_[at] = rows_[next];
      at = next;
    }
    rows_[at] = Row{};
  }

 private:
  struct Row {
    std::uint32_t page = PageEntry::kNoTag;
    PageIndex entry = kNoPage;
  };
  std::size_t home(std::uint32_t page) const { return ((page * std::uint64_t{0x9E3779B97F4A7C15}) >> 24) & mask_; }

  std::vector<Row> rows_;
  std::vector<std::uint32_t> page_of_;  // by entry
  std::size_t mask_ = 0;
};

}  // namespace flashloom
