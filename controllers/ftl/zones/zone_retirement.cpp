#include "controllers/ftl/zones/zone_retirement.hpp"

namespace flashloom {

ZoneRetirement::ZoneRetirement(const ZonedTables& tables, ZoneBlocks& zone_blocks, FinalStateLog& final_states)
    : ZonePart(tables), zone_blocks_(zone_blocks), final_states_(final_states) {}

Task<void> ZoneRetirement::face_losses(std::uint32_t number) {
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

bool ZoneRetirement::lacks_blocks(std::uint32_t set) const {
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

// Good erase units that the zones of a set need on the bank of the n-th member. Read-only zones open no more.
std::uint32_t ZoneRetirement::blocks_wanted(std::uint32_t set, std::uint32_t member) const {
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

// An empty zone: the zone itself, else the last empty one of its set; kNoZone if there is none.
std::uint32_t ZoneRetirement::emptiest(std::uint32_t number) const {
  if (table_[number].state == ZoneState::Empty) return number;
  for (std::uint32_t zone = shape_.zones(); zone-- > 0;)
    if (shape_.set_of(zone) == shape_.set_of(number) && table_[zone].state == ZoneState::Empty) return zone;
  return kNoZone;
}

Task<void> ZoneRetirement::take_offline(std::uint32_t number) {
  table_.make_offline(number);
  zone_blocks_.erase_given_up(zones_[number]);
  return final_states_.record(number, FinalState::Offline);
}

Task<void> ZoneRetirement::make_read_only(std::uint32_t number) {
  const ZoneState state = table_[number].state;
  if (state == ZoneState::Full || state == ZoneState::ReadOnly || state == ZoneState::Offline) co_return;
  table_.make_read_only(number);
  if (listener_ != nullptr && !mounting_) listener_->on_read_only(number);
  co_await final_states_.record(number, FinalState::ReadOnly);
}

}  // namespace flashloom
