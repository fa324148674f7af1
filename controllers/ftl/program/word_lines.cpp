#include "controllers/ftl/program/word_lines.hpp"

#include <algorithm>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_config.hpp"

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

// A program unit gets its second pass together with the first pass of the next one; the last one gets it at once.
void WordLines::wait_for_second_passes(const NandGeometry& geometry) {
  most_exposed_ = geometry.program_pages;
  safe_.assign(geometry.pages + 1, 0);
  for (std::uint32_t programmed = most_exposed_; programmed < geometry.pages; ++programmed)
    safe_[programmed] = programmed - most_exposed_;
  safe_[geometry.pages] = geometry.pages;
}

std::uint32_t waiting_units(const FtlConfig& config, const NandGeometry& geometry, std::uint32_t streams) {
  const std::uint32_t exposed =
      config.rain != 0 ? geometry.units_per_program() : WordLines(geometry).most_exposed() * geometry.units_per_page;
  return host_streams(config) * geometry.units_per_program() +
         streams * geometry.dies * geometry.planes_apart() * exposed;
}

}  // namespace flashloom
