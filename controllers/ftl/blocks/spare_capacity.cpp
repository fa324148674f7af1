#include "controllers/ftl/blocks/spare_capacity.hpp"

#include <algorithm>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

SpareCapacity::SpareCapacity(const FtlContext& context, BlockRecords& blocks, FreeLists& free, GcUnitPool* pool)
    : blocks_(blocks),
      free_(free),
      pool_(pool),
      media_(context.media),
      endurance_(context.media.endurance()),
      logical_units_(context.logical_units),
      may_run_out_(endurance_.programs_fail()),
      pages_(context.geometry.pages),
      program_pages_(context.geometry.program_pages),
      whole_units_per_page_(context.geometry.whole_units_per_page),
      failure_reserve_(endurance_.limited() ? kFailureReserve : 0),
      reserved_(reserved_blocks(context.config, context.geometry, endurance_.limited())),
      rain_(context.config.rain),
      bad_of_die_(blocks.dies()),
      worn_down_(media_.worn_out()) {
  for (BlockNumber block = 0; block < blocks.size(); ++block)
    if (media_.bad(Die{blocks.die_of(block)}, Block{blocks.block_of_die(block)})) take_out_of_use(block);
}

void SpareCapacity::wear_down() {
  worn_down_ = true;
  media_.set_worn_out();
}

void SpareCapacity::take_out_of_use(BlockNumber block) {
  free_.take(block);
  blocks_[block].state = BlockState::Bad;
  ++bad_;
  if (blocks_[block].apart) return;
  ++bad_of_die_[blocks_.die_of(block)];
  if (pool_ != nullptr) pool_->lose_member(block);
}

void SpareCapacity::check_reserve(BlockNumber block, std::uint32_t free) {
  if (blocks_[block].apart || ftl_ends_life_) return;
  if (too_many_bad() || (free < failure_reserve_ && !blocks_.dead_group(blocks_.group_of(block))) || lacks_room())
    wear_down();
}

void SpareCapacity::program_fails(BlockNumber block, std::uint32_t page) {
  const std::uint32_t die = blocks_.die_of(block);
  if (!media_.dead(Die{die})) return;
  media_.plant_failure(blocks_.address(block, page));
  if (blocks_.any_dead()) return;
  blocks_.set_dead(die);
  const BlockNumber first = die * blocks_.blocks_per_die();
  for (BlockNumber free = first; free < first + blocks_.blocks_per_die(); ++free)
    if (blocks_[free].state == BlockState::Free) take_out_of_use(free);
  if (too_many_bad() || lacks_room()) wear_down();
}

std::uint32_t SpareCapacity::writable_pages(BlockNumber block) const {
  const std::uint32_t end = blocks_.pages_of(block);
  if (!may_run_out_) return end;
  std::uint32_t page = 0;
  while (page < end && !media_.program_fails(blocks_.address(block, page), blocks_.block_erases(block)))
    page += program_pages_;
  return page;
}

bool SpareCapacity::die_will_fail() const { return endurance_.die_failure_at() != 0 && !blocks_.any_dead(); }

// Capacity of a die without the share that parity takes: one or two of the dies of its group that are left.
std::uint64_t SpareCapacity::without_parity(std::uint32_t die, std::uint64_t units) const {
  const std::uint32_t dies = blocks_.dies_of_group();
  const std::uint32_t left = blocks_.any_dead() && die / dies == blocks_.dead_die() / dies ? dies - 1 : dies;
  return left > rain_ ? units * (left - rain_) / left : 0;
}

// A die that has lost all but its reserved blocks holds no data; the others hold as much as their good blocks can.
bool SpareCapacity::too_many_bad() const {
  for (std::size_t die = 0; die < may_lose_.size(); ++die)
    if (bad_of_die_[die] > may_lose_[die]) return true;
  if (!may_lose_.empty()) return false;
  const std::uint32_t blocks = blocks_.blocks_per_die();
  std::uint64_t usable = 0;
  for (std::uint32_t die = 0; die < blocks_.dies(); ++die) {
    const std::uint32_t lost = blocks_.dead(die) ? blocks : bad_of_die_[die] + reserved_;
    const std::uint64_t units = std::uint64_t{lost < blocks ? blocks - lost : 0} * pages_ * whole_units_per_page_;
    usable += rain_ == 0 ? units : without_parity(die, units);
  }
  return usable < logical_units_;
}

// Pages after a program that will fail get no data; parity takes members.
std::uint64_t SpareCapacity::room_of_free(GcUnit unit) const {
  std::uint64_t pages = 0;
  for (const BlockNumber member : blocks_.members_of(unit))
    if (blocks_[member].state == BlockState::Free) pages += writable_pages(member);
  std::uint64_t lost = 0;
  if (!blocks_.one_by_one()) lost = rain_ + (die_will_fail() ? 1 : 0);
  return (pages - std::min(pages, lost * blocks_.banks_per_die() * pages_)) * whole_units_per_page_;
}

// With one_by_one(), a die that is going to fail loses all its free blocks: the die with the most room is not counted.
bool SpareCapacity::lacks_room(GcUnit taken) const {
  if (room_wanted_ == 0 || worn_down_) return false;
  const bool die_fails = blocks_.one_by_one() && die_will_fail();
  std::uint64_t room = 0;
  std::uint64_t most = 0;  // of a bank of the die that will fail
  const auto enough = [&](const FreeList& free) {
    std::uint64_t here = 0;
    for (auto each = free.begin(); each != free.end() && here < room_wanted_; ++each)
      if (*each != taken) here += room_of_free(*each);
    room += here;
    if (die_fails) most = std::max(most, here);
    return room >= room_wanted_ + most * blocks_.banks_per_die();
  };
  return std::ranges::none_of(pool_ == nullptr ? free_.of_banks() : pool_->free(), enough);
}

}  // namespace flashloom
