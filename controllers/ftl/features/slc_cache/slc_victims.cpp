#include "controllers/ftl/features/slc_cache/slc_victims.hpp"

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

SlcFolder::SlcFolder(VictimStart& start)
    : VictimSource({.apart = true, .gains = false, .units_moved = &start.statistics().slc.units_folded},
                   Begins::Always),
      start_(start),
      blocks_(start.blocks()),
      low_(start.context().config.slc_low),
      idle_(start.context().config.slc_idle) {}

// Like a scrub it gains no normal block, so garbage collection comes first when those are short. The pace copies all
// units while the host writes as much as an SLC block holds.
Task<bool> SlcFolder::begin(std::uint32_t group) {
  if (blocks_.free_of_group(group) <= start_.victims().low()) co_return false;
  const BlockNumber victim = blocks_.slc().oldest(group);
  if (BlockNumber* const place = start_.place_apart(group, victim))
    *place = co_await start_.open_blocks().open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream);
  const std::uint64_t copies =
      std::uint64_t{blocks_[victim].valid} * start_.context().geometry.whole_units_per_program();
  const std::uint32_t units = blocks_.whole_units_of(victim);
  ++start_.statistics().slc.folds;
  start_.begin(*this, group, victim, (copies + units - 1) / units + 1);
  co_return true;
}

bool SlcFolder::waits_for_space(std::uint32_t group) const {
  return idle_ && blocks_.slc().oldest(group) != kNoBlockNumber;
}

bool SlcFolder::may_begin_idle(std::uint32_t group) const {
  return waits_for_space(group) && start_.can_open_block(group, FreeUse::Data);
}

// Checkpoints may have padded program units of the fold, so that the blocks opened for it are full.
bool SlcFolder::may_copy_idle(std::uint32_t group) const {
  return start_.open_blocks().copies()[group].cold[0] != kNoBlockNumber || start_.can_open_block(group, FreeUse::Data);
}

SlcGiveBack::SlcGiveBack(VictimStart& start)
    : VictimSource({.units_moved = &start.statistics().slc.units_folded}), start_(start), blocks_(start.blocks()) {}

Task<bool> SlcGiveBack::begin(std::uint32_t group) {
  ++start_.statistics().slc.folds;
  ++start_.statistics().slc.given_back;
  start_.begin_for_space(*this, group, blocks_.slc().oldest_borrowed(group),
                         start_.context().geometry.whole_units_per_block());
  co_return true;
}

}  // namespace flashloom
