// Whole units on the instant clock, many at a time: the decisions and deeds of PageMapFtl::write(), without a job where a
// program unit needs none.
#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/kinds/page_map.hpp"

namespace flashloom {
namespace {

// Units ahead whose map entries are prefetched, and of those whose older data's blocks are.
constexpr std::size_t kEntriesAhead = 32;
constexpr std::size_t kBlocksAhead = 16;

}  // namespace

bool PageMapFtl::takes_whole() const {
  const BlockEndurance& endurance = context_.media.endurance();
  return host_blocks_.job(0) == nullptr && programmer_.direct().any() && context_.config.kind.name == "page_map" &&
         frontier_.one_stream() && blocks_.one_by_one() && host_blocks_.cache_of(0) == nullptr && !idling_ &&
         !keeper_.paces() && !context_.config.blocks_host() && !endurance.limited() && !endurance.has_factory_bad() &&
         !read_only_;
}

Task<void> PageMapFtl::write_whole(std::span<const WholeUnit> units) {
  const std::uint32_t together = context_.geometry.units_per_program();
  for (std::size_t at = 0; at < units.size(); at += together) {
    prefetch_whole(units, at);
    const PlacementRequest request{.unit = units[at].unit};
    const WriteFrontier::Opening opening = frontier_.begin_opening(request);
    if (opening.block != kNoBlockNumber && programmer_.direct().suit(opening.block)) [[likely]] {
      write_directly(units.subspan(at, together), opening.block);
      continue;
    }
    if (opening.block != kNoBlockNumber) {
      frontier_.begin(0, opening.block);
    } else {
      opening_ = true;
      co_await frontier_.open(request, opening);
      opening_ = false;
    }
    for (const WholeUnit& unit : units.subspan(at, together)) place_whole(unit);
  }
}

inline void PageMapFtl::prefetch_whole(std::span<const WholeUnit> units, std::size_t at) const {
  const std::size_t together = context_.geometry.units_per_program();
  for (std::size_t i = at; i < at + together; ++i) {
    if (i + kEntriesAhead < units.size()) map_.prefetch(units[i + kEntriesAhead].unit);
    if (i + kBlocksAhead >= units.size()) continue;
    const PhysicalUnit old = map_.get(units[i + kBlocksAhead].unit);
    if (old == kNoPhysicalUnit) continue;
    blocks_.prefetch(old);
    blocks_.policies().prefetch(blocks_.block_of(old));
  }
}

// As place().
void PageMapFtl::place_whole(WholeUnit unit) {
  const PhysicalUnit old = map_.get(unit.unit);
  const PhysicalUnit place =
      programmer_.jobs().place_whole(*host_blocks_.job(0), layout_.encode(unit.unit, unit.version), old);
  moved(unit.unit, unit.version, old, place);
  frontier_.placed(0);
}

// As place(), for a program unit, which is programmed at once.
void PageMapFtl::write_directly(std::span<const WholeUnit> units, BlockNumber block) {
  words_.clear();
  for (const WholeUnit& unit : units) words_.push_back(layout_.encode(unit.unit, unit.version));
  PhysicalUnit place = programmer_.direct().allot(block, words_);
  for (const WholeUnit& unit : units) {
    moved(unit.unit, unit.version, map_.get(unit.unit), place++);
    frontier_.count_unit(0, block);
  }
  host_blocks_.close_if_full(0, block);
  programmer_.direct().write(block, Origin::Host, words_.data(), nullptr);
  collector_.open_blocks().data_programmed();
}

}  // namespace flashloom
