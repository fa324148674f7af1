#include "controllers/ftl/program/word_lines.hpp"

#include <algorithm>

namespace flashloom {

WordLines::WordLines(const NandGeometry& geometry) {
  if (geometry.two_passes) wait_for_second_passes(geometry);
  if (geometry.pairs == nullptr) return;
  // The last page of each page's word line, in its plane.
  std::vector<std::uint32_t> last(geometry.pages);
  for (std::uint32_t page = 0; page < geometry.pages; ++page) {
    last[page] = page;
    for (std::uint32_t other = page + 1; other < geometry.pages; ++other)
      if (geometry.share_cells(Block{0}, Page{page}, Page{other})) last[page] = other;
  }
  safe_.assign(geometry.pages + 1, 0);
  for (std::uint32_t programmed = 1; programmed <= geometry.pages; ++programmed) {
    std::uint32_t& safe = safe_[programmed];
    safe = safe_[programmed - 1];
    while (safe < programmed && last[safe] < programmed) ++safe;
    most_exposed_ = std::max(most_exposed_, programmed - safe);
  }
}

// A program unit has its second pass with the next one's first; the last one at once.
void WordLines::wait_for_second_passes(const NandGeometry& geometry) {
  most_exposed_ = geometry.program_pages;
  safe_.assign(geometry.pages + 1, 0);
  for (std::uint32_t programmed = most_exposed_; programmed < geometry.pages; ++programmed)
    safe_[programmed] = programmed - most_exposed_;
  safe_[geometry.pages] = geometry.pages;
}

}  // namespace flashloom
