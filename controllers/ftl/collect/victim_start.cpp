#include "controllers/ftl/collect/victim_start.hpp"

#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

VictimStart::VictimStart(const FtlContext& context, BlockTable& blocks, Victims& victims, OpenBlocks& open,
                         BlockOpener& opener, FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      victims_(victims),
      open_(open),
      copies_(open.copies()),
      opener_(opener),
      statistics_(statistics) {}

void VictimStart::begin(VictimSource& source, std::uint32_t group, GcUnit victim, std::uint64_t copies_per_program) {
  const std::uint64_t collection =
      statistics_.gc_runs + statistics_.wear_moves + statistics_.scrub_moves + statistics_.slc.folds;
  victims_.begin(group, victim, source, copies_per_program, collection);
  if (copies_[group].job != nullptr && source.apart()) copies_.pad(group);
}

// All valid units must be copied by the time the host has filled the space gained; a quarter faster, to get ahead.
void VictimStart::begin_for_space(VictimSource& source, std::uint32_t group, GcUnit victim, std::uint32_t units) {
  const std::uint32_t valid = victims_.valid_of(victim);
  const std::uint64_t copies = std::uint64_t{valid} * context_.geometry.whole_units_per_program();
  const bool sized = context_.sizes != nullptr;
  const std::uint32_t taken = sized ? std::min(victims_.taken_of(victim), units) : valid;
  const std::uint64_t gain = std::max(units - taken, 1U);  // failed blocks may gain nothing
  begin(source, group, victim, copies * 5 / (4 * gain) + 1);
  victims_[group].gain = units - (sized ? std::min(victims_.most_taken_of(victim), units) : valid);
}

void VictimStart::enqueue(VictimQueue& queue, BlockNumber block) {
  const std::uint32_t group = blocks_.group_of(block);
  const GcUnit unit = blocks_.gc_unit_of(block);
  queue.add(group, unit, blocks_.block_erases(blocks_.member(unit, 0)));
  victims_[group].active = true;
}

BlockNumber* VictimStart::place_apart(std::uint32_t group, BlockNumber victim) {
  auto& cold = copies_[group].cold;
  std::uint32_t room = 0;
  if (cold[0] != kNoBlockNumber) room = context_.geometry.pages - blocks_[cold[0]].allocated;
  if (cold[1] != kNoBlockNumber || room * context_.geometry.whole_units_per_page >= victims_.most_taken_of(victim))
    return nullptr;
  return &cold[room == 0 ? 0 : 1];
}

Task<void> VictimStart::open_block_apart(std::uint32_t group, BlockNumber victim) {
  BlockNumber* const place = place_apart(group, victim);
  if (place == nullptr) co_return;
  *place = co_await opener_.open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream, FreeUse::Cold);
}

bool VictimStart::can_open_block(std::uint32_t group, FreeUse use) const {
  if (blocks_.free_of_group(group) <= victims_.low()) return false;
  const std::uint32_t bank = blocks_.free().bank_with_room(blocks_.free().bank_of_most_room(group));
  const BlockNumber next = blocks_.next_free(bank, use);
  const BlockNumber other = opener_.free_to_erase(group, next);
  return blocks_[next].erased && (other == kNoBlockNumber || blocks_.waits().unused(other));
}

}  // namespace flashloom
