// Program failures in zones and lost erase units: an erase unit with a failed program is replaced by another one; if
// too few are left, zones are taken away.
#include <algorithm>
#include <utility>
#include <vector>

#include "controllers/ftl/zones/zoned_ftl.hpp"

namespace flashloom {

bool ZonedFtl::lets_fail(BlockNumber block) {
  if (!programmer_.failures().next_fails(block)) return false;
  failures_.push_back(programmer_.failures().fail(block));
  return true;
}

// Closed blocks are not collected here: their owner releases them.
template <class Try>
void ZonedFtl::try_failures(Try&& try_them) {
  const std::vector<FailedProgram> tried = failures_;
  try_them();
  for (const FailedProgram& failure : tried) blocks_.collect(failure.block);
}

void ZonedFtl::carry(ProgramJob& job) {
  if (failures_.empty()) [[likely]]
    return;
  try_failures([&] { programmer_.failures().try_first(job, failures_, age()); });
}

void ZonedFtl::try_padding() {
  if (failures_.empty()) return;
  try_failures([&] { programmer_.failures().try_padding(failures_, Origin::Padding, age()); });
}

void ZonedFtl::carry_before_giving_back(BlockNumber block) {
  if (std::ranges::any_of(failures_, [block](const FailedProgram& failure) { return failure.block == block; }))
    try_padding();
}

// The zone's next reset waits for these erases, since the old data must be gone by then.
void ZonedFtl::let_go() {
  if (replaced_.empty() || !failures_.empty()) return;
  for (const Replaced& replaced : replaced_) {
    give_back(replaced.block, replaced.origin);
    zones_[replaced.zone].erasing.push_back(blocks_.pending_erase(replaced.block));
  }
  replaced_.clear();
}

Task<bool> ZonedFtl::prepare(std::uint32_t number, std::uint32_t slot) {
  BlockNumber& block = zones_[number].blocks[slot];
  if (block == kNoBlockNumber) block = co_await open_on(shape_.bank_of(number, slot));
  while (block != kNoBlockNumber && lets_fail(block)) {
    const bool replaced = co_await rehome(number, slot, Origin::Gc);
    if (!replaced) co_return false;
  }
  co_return block != kNoBlockNumber;
}

Task<bool> ZonedFtl::prepare_padding(std::uint32_t number, std::uint32_t slot) {
  BlockNumber& block = zones_[number].blocks[slot];
  if (block == kNoBlockNumber && blocks_.free().of_die(roomiest_die()) != 0)
    block = co_await open_on(shape_.bank_of(number, slot));
  if (block == kNoBlockNumber || blocks_[block].failed) co_return false;
  if (!lets_fail(block)) co_return true;
  try_padding();
  co_return false;
}

// Refuses the unit that completed a program unit for which there is no place, so that its waiter is told.
void ZonedFtl::refuse_last(Zone& zone) {
  if (zone.waiting.size() < units_per_program_) return;
  if (WriteUnit* const unit = std::exchange(zone.waiting[units_per_program_ - 1], nullptr)) unit->refused = true;
}

Task<bool> ZonedFtl::rehome(std::uint32_t number, std::uint32_t slot, Origin origin) {
  BlockNumber& block = zones_[number].blocks[slot];
  for (;;) {
    const BlockNumber target = co_await open_on(shape_.bank_of(number, slot));
    if (target == kNoBlockNumber) {
      try_padding();
      let_go();
      co_return false;
    }
    if (!copy_rows(number, slot, target, origin)) {
      replaced_.push_back({target, number, origin});
      continue;
    }
    replaced_.push_back({std::exchange(block, target), number, origin});
    ++(origin == Origin::Recovery ? costs_.rehomed_blocks : costs_.replaced_blocks);
    let_go();
    co_return true;
  }
}

// False if a program failed in `target`, too; the data are then mapped to the old place again.
bool ZonedFtl::copy_rows(std::uint32_t number, std::uint32_t slot, BlockNumber target, Origin origin) {
  const std::uint32_t rows = shape_.rows_of(slot, zones_[number].programmed);
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (lets_fail(target)) {
      put_back(number, slot, row);
      return false;
    }
    ProgramJob& job = programmer_.jobs().begin(target, origin);
    job.owners[0] = 0;  // of no collection
    carry(job);
    const std::uint32_t first = first_unit(number) + shape_.program_at(slot, row) * units_per_program_;
    for (std::uint32_t at = 0; at < units_per_program_; ++at) copy(job, first + at);
    if (origin == Origin::Gc) statistics_.units_moved += units_per_program_;
    launch(job);
  }
  return true;
}

// Maps the first rows of the slot's erase unit, which have copies elsewhere, to their old places again.
void ZonedFtl::put_back(std::uint32_t number, std::uint32_t slot, std::uint32_t rows) {
  PhysicalUnit place = zones_[number].blocks[slot] * blocks_.units_per_block();
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t first = first_unit(number) + shape_.program_at(slot, row) * units_per_program_;
    for (std::uint32_t unit = first; unit < first + units_per_program_; ++unit, ++place) {
      blocks_.invalidate(map_.get(unit), age());
      map_.set(unit, place);
      blocks_.validate(place);
    }
  }
}

// Good erase units that the zones of a set need on the bank of the n-th member. Read-only zones open no more.
std::uint32_t ZonedFtl::blocks_wanted(std::uint32_t set, std::uint32_t member) const {
  const std::uint32_t members = shape_.blocks_per_zone() / shape_.layers();
  std::uint32_t wanted = shape_.reserve();
  for (std::uint32_t number = set; number < zones_.size(); number += shape_.sets()) {
    if (table_[number].state == ZoneState::Offline) continue;
    const std::vector<BlockNumber>& blocks = zones_[number].blocks;
    for (std::uint32_t slot = member; slot < blocks.size(); slot += members)
      wanted += table_[number].state != ZoneState::ReadOnly || blocks[slot] != kNoBlockNumber ? 1 : 0;
  }
  return wanted;
}

// Whether lost blocks leave too few good ones on some bank of the set for all its zones.
bool ZonedFtl::lacks_blocks(std::uint32_t set) const {
  if (blocks_.spare().bad_blocks() == 0) return false;
  const std::uint32_t planes = blocks_.banks_per_die();
  for (std::uint32_t member = 0; member < shape_.blocks_per_zone() / shape_.layers(); ++member) {
    const std::uint32_t bank = shape_.bank_of(set, member);
    const std::uint32_t die = blocks_.die_of_bank(bank);
    std::uint32_t good = 0;
    for (BlockNumber block = die * blocks_.blocks_per_die() + bank % planes;
         block < (die + 1) * blocks_.blocks_per_die(); block += planes)
      good += blocks_[block].state != BlockState::Bad ? 1 : 0;
    if (good < blocks_wanted(set, member)) return true;
  }
  return false;
}

Task<void> ZonedFtl::face_losses(std::uint32_t number) {
  const std::uint32_t set = shape_.set_of(number);
  while (!out_of_room_ && lacks_blocks(set)) {
    const std::uint32_t zone = emptiest(number);
    if (zone == kNoZone) {
      co_await make_read_only(number);
      co_return;
    }
    co_await take_offline(zone);
  }
}

// An empty zone: the zone itself, else the last empty one of its set; kNoZone if there is none.
std::uint32_t ZonedFtl::emptiest(std::uint32_t number) const {
  if (table_[number].state == ZoneState::Empty) return number;
  for (std::uint32_t zone = shape_.zones(); zone-- > 0;)
    if (shape_.set_of(zone) == shape_.set_of(number) && table_[zone].state == ZoneState::Empty) return zone;
  return kNoZone;
}

Task<void> ZonedFtl::take_offline(std::uint32_t number) {
  table_.make_offline(number);
  erase_given_up(zones_[number]);
  return note_end(number, Ended::Offline);
}

Task<void> ZonedFtl::make_read_only(std::uint32_t number) {
  const ZoneState state = table_[number].state;
  if (state == ZoneState::Full || state == ZoneState::ReadOnly || state == ZoneState::Offline) co_return;
  table_.make_read_only(number);
  if (listener_ != nullptr && !mounting_) listener_->on_read_only(number);
  co_await note_end(number, Ended::ReadOnly);
}

void ZonedFtl::end_life() {
  blocks_.spare().wear_down();
  read_only_ = out_of_room_ = true;
  close_all();
}

void ZonedFtl::close_all() {
  for (std::uint32_t number = 0; number < shape_.zones(); ++number)
    if (table_[number].state != ZoneState::Offline) table_.make_read_only(number);
}

}  // namespace flashloom
