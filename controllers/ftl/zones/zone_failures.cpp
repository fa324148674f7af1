#include "controllers/ftl/zones/zone_failures.hpp"

#include <utility>

namespace flashloom {

ZoneFailures::ZoneFailures(const ZonePart& ftl, ZoneBlocks& zone_blocks, FinalStateLog& final_states)
    : ZonePart(ftl), zone_blocks_(zone_blocks), final_states_(final_states) {}

Task<bool> ZoneFailures::prepare(std::uint32_t number, std::uint32_t slot) {
  BlockNumber& block = zones_[number].blocks[slot];
  if (block == kNoBlockNumber) block = co_await zone_blocks_.open_on(shape_.bank_of(number, slot));
  while (block != kNoBlockNumber && zone_blocks_.lets_fail(block)) {
    const bool replaced = co_await replace(number, slot, Origin::Gc);
    if (!replaced) co_return false;
  }
  co_return block != kNoBlockNumber;
}

Task<bool> ZoneFailures::prepare_padding(std::uint32_t number, std::uint32_t slot) {
  BlockNumber& block = zones_[number].blocks[slot];
  if (block == kNoBlockNumber && zone_blocks_.any_free())
    block = co_await zone_blocks_.open_on(shape_.bank_of(number, slot));
  if (block == kNoBlockNumber || blocks_[block].failed) co_return false;
  if (!zone_blocks_.lets_fail(block)) co_return true;
  zone_blocks_.try_padding();
  co_return false;
}

Task<bool> ZoneFailures::replace(std::uint32_t number, std::uint32_t slot, Origin origin) {
  BlockNumber& block = zones_[number].blocks[slot];
  for (;;) {
    const BlockNumber target = co_await zone_blocks_.open_on(shape_.bank_of(number, slot));
    if (target == kNoBlockNumber) {
      zone_blocks_.try_padding();
      release_replaced();
      co_return false;
    }
    if (!copy_rows(number, slot, target, origin)) {
      replaced_.push_back({target, number, origin});
      continue;
    }
    replaced_.push_back({std::exchange(block, target), number, origin});
    ++(origin == Origin::Recovery ? costs_.rehomed_blocks : costs_.replaced_blocks);
    release_replaced();
    co_return true;
  }
}

// False if a program failed in `target`, too; the data are then mapped to the old place again.
bool ZoneFailures::copy_rows(std::uint32_t number, std::uint32_t slot, BlockNumber target, Origin origin) {
  const std::uint32_t rows = shape_.rows_of(slot, zones_[number].programmed);
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (zone_blocks_.lets_fail(target)) {
      put_back(number, slot, row);
      return false;
    }
    ProgramJob& job = zone_blocks_.begin_copies(target, origin);
    const std::uint32_t first = first_unit(number) + shape_.program_at(slot, row) * units_per_program_;
    for (std::uint32_t at = 0; at < units_per_program_; ++at) zone_blocks_.copy(job, first + at);
    if (origin == Origin::Gc) statistics_.units_moved += units_per_program_;
    zone_blocks_.launch(job);
  }
  return true;
}

// Maps the first rows of the slot's erase unit, which have copies elsewhere, to their old places again.
void ZoneFailures::put_back(std::uint32_t number, std::uint32_t slot, std::uint32_t rows) {
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

// The zone's next reset waits for these erases, since the old data must be gone by then.
void ZoneFailures::release_replaced() {
  if (replaced_.empty() || zone_blocks_.any_to_try()) return;
  for (const Replaced& replaced : replaced_) {
    zone_blocks_.give_back(replaced.block, replaced.origin);
    zones_[replaced.zone].erasing.push_back(blocks_.pending_erase(replaced.block));
  }
  replaced_.clear();
}

Task<void> ZoneFailures::face_losses(std::uint32_t number) {
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

bool ZoneFailures::lacks_blocks(std::uint32_t set) const {
  if (blocks_.spare().bad_blocks() == 0) return false;
  const std::uint32_t planes = blocks_.banks_per_die();
  for (std::uint32_t member = 0; member < shape_.members; ++member) {
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

// Good erase units that the zones of a set need on the bank of the n-th member. Read-only zones open no more.
std::uint32_t ZoneFailures::blocks_wanted(std::uint32_t set, std::uint32_t member) const {
  std::uint32_t wanted = shape_.reserve;
  for (std::uint32_t number = set; number < zones_.size(); number += shape_.sets) {
    if (table_[number].state == ZoneState::Offline) continue;
    const std::vector<BlockNumber>& blocks = zones_[number].blocks;
    for (std::uint32_t slot = member; slot < blocks.size(); slot += shape_.members)
      wanted += table_[number].state != ZoneState::ReadOnly || blocks[slot] != kNoBlockNumber ? 1 : 0;
  }
  return wanted;
}

// An empty zone: the zone itself, else the last empty one of its set; kNoZone if there is none.
std::uint32_t ZoneFailures::emptiest(std::uint32_t number) const {
  if (table_[number].state == ZoneState::Empty) return number;
  for (std::uint32_t zone = shape_.zones; zone-- > 0;)
    if (shape_.set_of(zone) == shape_.set_of(number) && table_[zone].state == ZoneState::Empty) return zone;
  return kNoZone;
}

Task<void> ZoneFailures::take_offline(std::uint32_t number) {
  table_.make_offline(number);
  zone_blocks_.erase_given_up(zones_[number]);
  return final_states_.record(number, FinalState::Offline);
}

Task<void> ZoneFailures::make_read_only(std::uint32_t number) {
  const ZoneState state = table_[number].state;
  if (state == ZoneState::Full || state == ZoneState::ReadOnly || state == ZoneState::Offline) co_return;
  table_.make_read_only(number);
  if (listener_ != nullptr && !mounting_) listener_->on_read_only(number);
  co_await final_states_.record(number, FinalState::ReadOnly);
}

}  // namespace flashloom
