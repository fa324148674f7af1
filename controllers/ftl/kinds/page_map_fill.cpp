// Sequential fill of a new device by program units: each one is placed as usual, but a rule describes the content and
// places of its units (FillRule, UnitMap).
#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/kinds/page_map.hpp"

namespace flashloom {

const char* PageMapFtl::why_no_rule() const {
  if (context_.config.kind.name != "page_map") return Ftl::why_no_rule();
  if (keeper_.paces()) return "the map's keeper does its share with each write (ftl.recovery)";
  for (const char* const why : {context_.media.why_no_rule(), programmer_.why_no_rule(), frontier_.why_no_rule()})
    if (why != nullptr) return why;
  return nullptr;
}

Task<std::uint32_t> PageMapFtl::fill_by_rule(FillPart part) {
  const std::uint32_t units = context_.geometry.units_per_program();
  if (statistics_.units_written != std::uint64_t{part.first} * units || host_blocks_.job(0) != nullptr)
    throw std::logic_error("what a rule is to tell does not go on where the fill is");
  const OobWord first = layout_.encode(0, part.version);
  context_.media.begin_fill({first, layout_.encode(1, part.version + 1) - first});
  map_.begin_fill(units);
  // Most blocks that a group opens before the fill can stop.
  const std::uint32_t programs = context_.geometry.pages / context_.geometry.program_pages;
  const std::uint32_t opened = (blocks_.one_by_one() ? blocks_.banks_per_die() : 1) + part.step / programs;
  const std::uint32_t kept = collector_.collects_at() + opened;
  std::uint32_t least_free = least_free_blocks();
  std::uint32_t number = part.first;
  while (number + part.step <= part.end && least_free > kept) {
    for (const std::uint32_t end = number + part.step; number != end; ++number) {
      const PlacementRequest request{.unit = number * units};
      const WriteFrontier::Opening opening = frontier_.begin_opening(request);
      if (opening.block != kNoBlockNumber) [[likely]] {
        frontier_.begin(request.stream, opening.block);
      } else {
        if (!opening.pace.kept) throw std::logic_error("garbage is collected during a fill that is told by a rule");
        co_await frontier_.open(request, opening);
        const BlockNumber block = host_blocks_.job(request.stream)->block;
        least_free = std::min(least_free, blocks_.free_of_group(blocks_.group_of(block)));
      }
      map_.add_program(number, frontier_.filled_by_rule(request.stream, number));
    }
  }
  newest_version_ = std::max(newest_version_, part.version + std::uint64_t{number} * units - 1);
  map_.end_fill(part.first, number);
  context_.media.end_fill();
  blocks_.programs().note_words();
  co_return number;
}

}  // namespace flashloom
