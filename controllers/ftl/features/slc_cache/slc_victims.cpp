#include "controllers/ftl/features/slc_cache/slc_victims.hpp"

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

SlcFolder::SlcFolder(Collector& collector)
    : VictimSource(collector, {.apart = true, .gains = false, .units_moved = &collector.statistics().slc.units_folded},
                   Begins::Always),
      low_(context_.config.slc_low),
      idle_(context_.config.slc_idle) {}

// Like a scrub it gains no normal block, so garbage collection comes first when those are short. The pace copies all
// units while the host writes as much as an SLC block holds.
Task<bool> SlcFolder::begin(std::uint32_t group) {
  if (blocks_.free_of_group(group) <= collector_.victims().low()) co_return false;
  const BlockNumber victim = blocks_.slc().oldest(group);
  if (BlockNumber* const place = collector_.place_apart(group, victim))
    *place =
        co_await collector_.open_blocks().open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream);
  const std::uint64_t copies = std::uint64_t{blocks_[victim].valid} * context_.geometry.whole_units_per_program();
  const std::uint32_t units = blocks_.whole_units_of(victim);
  ++statistics_.slc.folds;
  collector_.begin(*this, group, victim, (copies + units - 1) / units + 1);
  co_return true;
}

bool SlcFolder::waits_for_space(std::uint32_t group) const {
  return idle_ && blocks_.slc().oldest(group) != kNoBlockNumber;
}

bool SlcFolder::may_begin_idle(std::uint32_t group) const {
  return waits_for_space(group) && collector_.can_open_block(group, FreeUse::Data);
}

// Checkpoints may have padded program units of the fold, so that the blocks opened for it are full.
bool SlcFolder::may_copy_idle(std::uint32_t group) const {
  return collector_.open_blocks().copies()[group].cold[0] != kNoBlockNumber ||
         collector_.can_open_block(group, FreeUse::Data);
}

SlcGiveBack::SlcGiveBack(Collector& collector)
    : VictimSource(collector, {.units_moved = &collector.statistics().slc.units_folded}) {}

Task<bool> SlcGiveBack::begin(std::uint32_t group) {
  ++statistics_.slc.folds;
  ++statistics_.slc.given_back;
  collector_.begin_for_space(*this, group, blocks_.slc().oldest_borrowed(group),
                             context_.geometry.whole_units_per_block());
  co_return true;
}

}  // namespace flashloom
