// Maps a page number of a block to its word line and page type: a word line has one page for each bit of its cells.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// Pages are numbered in programming order. Two such orders:
///  * word line by word line: lower, (middle, ...) upper page of one, then of the next; also for one-shot programs;
///  * shadow: a word line's next page is programmed only after its neighbour's page of the type below, to
///    reduce later disturbance: lower 0, lower 1, upper 0, lower 2, upper 1, ... This is the paired-page table of
///    planar MLC data sheets (pages 0 and 2, 1 and 4, 3 and 6, ... share cells; e.g. Samsung K9LBG08U0M, "paired page
///    address information"), and its continuation to three and four bits.
class PageOrder {
 public:
  struct Place {
    std::uint32_t word_line;
    std::uint32_t type;  ///< 0: lower page
  };

  /// `types` pages a word line; `pages` of a block, whose last word line may have fewer.
  PageOrder(std::uint32_t pages, std::uint32_t types, bool shadow);

  const Place& of(std::uint32_t page) const { return places_[page]; }

 private:
  std::vector<Place> places_;  // by page
};

}  // namespace flashloom
