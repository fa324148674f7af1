// Block failures and die failure: which erase units go out of use, and when too few are left.
#include <algorithm>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/spare_blocks.hpp"

namespace flashloom {

void BlockTable::count_erase(BlockNumber block) {
  ++erases_[block];
  if (borrowed(block)) [[unlikely]]
    ++slc_erases_[block];
  if (!always_slc(block)) {
    ++banks_[bank_of(block)].erases;
    dies_[die_of(block)].leveling->erased(block_of_die(block));
  }
  const bool on_dead_die = dead(die_of(block));
  if (on_dead_die) [[unlikely]]
    media_.plant_erase_failure(Die{die_of(block)}, Block{block_of_die(block)});
  if (endurance_.worn_out(block, erases_[block], lends() ? slc_erases_[block] : 0) || blocks_[block].failed ||
      on_dead_die) [[unlikely]]
    set_bad(block);
}

std::uint32_t BlockTable::next_failure(BlockNumber block, std::uint32_t page) const {
  const std::uint32_t end = pages_of(block);
  if (!programs_fail_) return end;
  while (page < end && !fails_at(block, page)) page += program_pages_;
  return page;
}

void BlockTable::set_failed(BlockNumber block, std::uint32_t page) {
  blocks_[block].failed = true;
  if (!media_.dead(Die{die_of(block)})) return;
  media_.plant_failure(address(block, page));
  if (!any_dead()) take_die_out();
}

// The free blocks of the die are lost at once, the others once they hold no valid data. If the device cannot spare that
// many, it is worn down.
void BlockTable::take_die_out() {
  for (std::uint32_t die = 0; die < dies_.size(); ++die)
    if (media_.dead(Die{die})) dead_die_ = die;
  const BlockNumber first = dead_die_ * blocks_per_die();
  for (BlockNumber block = first; block < first + blocks_per_die(); ++block)
    if (blocks_[block].state == BlockState::Free) take_out_of_use(block);
  if (too_many_bad() || lacks_room()) wear_down();
}

bool BlockTable::to_be_emptied(BlockNumber block) const {
  bool failed = false;
  for (const BlockNumber member : superblocks_->members_of(superblocks_->of(block))) {
    const BlockInfo& info = blocks_[member];
    if (info.state != BlockState::Closed && info.state != BlockState::Bad) return false;
    failed = failed || ((info.failed || lost_with_die(member)) && info.state == BlockState::Closed);
  }
  return failed;
}

// Capacity of a die without the share that parity takes: one or two of the dies of its group that are left.
std::uint64_t BlockTable::without_parity(std::uint32_t die, std::uint64_t units) const {
  const std::uint32_t dies = banks_per_group_.value() / banks_per_die();
  const std::uint32_t left = any_dead() && die / dies == dead_die_ / dies ? dies - 1 : dies;
  return left > rain_ ? units * (left - rain_) / left : 0;
}

// A die that has lost all but its reserved blocks holds no data; the others hold as much as their good blocks can.
bool BlockTable::too_many_bad() const {
  for (std::size_t die = 0; die < may_lose_.size(); ++die)
    if (dies_[die].bad_blocks > may_lose_[die]) return true;
  if (!may_lose_.empty()) return false;
  std::uint64_t usable = 0;
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    const std::uint32_t lost = dead(die) ? blocks_per_die() : dies_[die].bad_blocks + reserved_;
    const std::uint64_t units =
        std::uint64_t{lost < blocks_per_die() ? blocks_per_die() - lost : 0} * pages_ * whole_units_per_page_;
    usable += rain_ == 0 ? units : without_parity(die, units);
  }
  return usable < logical_units_;
}

void BlockTable::take_out_of_use(BlockNumber block) {
  take_from_free(block);
  blocks_[block].state = BlockState::Bad;
  ++bad_blocks_;
  if (always_slc(block)) return;  // only the write cache becomes smaller
  ++dies_[die_of(block)].bad_blocks;
  superblocks_->lose_member(block);
}

void BlockTable::set_bad(BlockNumber block) {
  take_out_of_use(block);
  if (always_slc(block) || ftl_ends_life_) return;
  const std::uint32_t group = group_of(block);
  if (too_many_bad() || (free_of_group(group) < failure_reserve_ && !dead_group(group)) || lacks_room()) wear_down();
}

// Pages after a program that will fail get no data; in superblocks, parity takes members.
std::uint64_t BlockTable::room_of_free(SuperblockNumber superblock) const {
  std::uint64_t pages = 0;
  for (const BlockNumber member : superblocks_->members_of(superblock))
    if (blocks_[member].state == BlockState::Free) pages += next_failure(member, 0);
  std::uint64_t lost = 0;
  if (!one_by_one_) lost = rain_ + (endurance_.die_failure_at() != 0 && !any_dead() ? 1 : 0);
  return (pages - std::min(pages, lost * banks_per_die() * pages_)) * whole_units_per_page_;
}

// With one_by_one(), a die that is going to fail loses all its free blocks: the die with the most room is not counted.
bool BlockTable::lacks_room(SuperblockNumber taken) const {
  if (room_wanted_ == 0 || worn_down_) return false;
  const bool die_fails = one_by_one_ && endurance_.die_failure_at() != 0 && !any_dead();
  std::uint64_t room = 0;
  std::uint64_t most = 0;  // of a bank of the die that will fail
  const auto enough = [&](const auto& free) {
    std::uint64_t here = 0;
    for (auto each = free.begin(); each != free.end() && here < room_wanted_; ++each)
      if (*each != taken) here += room_of_free(*each);
    room += here;
    if (die_fails) most = std::max(most, here);
    return room >= room_wanted_ + most * banks_per_die();
  };
  if (one_by_one_) return std::ranges::none_of(banks_, [&](const BankInfo& bank) { return enough(bank.free); });
  for (std::uint32_t group = 0; group < groups(); ++group)
    if (enough(superblocks_->free(group))) return false;
  return true;
}

}  // namespace flashloom
