#include "models/nand/page_order.hpp"

namespace flashloom {

PageOrder::PageOrder(std::uint32_t pages, std::uint32_t types, bool shadow) {
  places_.reserve(pages);
  if (!shadow) {
    for (std::uint32_t page = 0; page < pages; ++page) places_.push_back({page / types, page % types});
    return;
  }
  // Walks the diagonals of the (word line, type) table, each from its lower page up.
  const std::uint32_t word_lines = (pages + types - 1) / types;
  for (std::uint32_t diagonal = 0; places_.size() < pages; ++diagonal)
    for (std::uint32_t type = 0; type < types && type <= diagonal && places_.size() < pages; ++type)
      if (diagonal - type < word_lines) places_.push_back({diagonal - type, type});
}

}  // namespace flashloom
