#include "controllers/ftl/zones/zone_padding.hpp"

namespace flashloom {

ZonePadding::ZonePadding(const ZonedTables& tables, ZonePrograms& programs, ZoneBlocks& zone_blocks,
                         BlockReplacement& replacement, ZoneRetirement& retirement)
    : ZonePart(tables),
      programs_(programs),
      zone_blocks_(zone_blocks),
      replacement_(replacement),
      retirement_(retirement) {}

Task<bool> ZonePadding::pad_program(std::uint32_t number, std::uint32_t slot) {
  const bool goes_on = co_await replacement_.prepare_padding(number, slot);
  if (!goes_on) co_return false;
  ProgramJob& job = programs_.begin(zones_[number].blocks[slot], Origin::Padding);
  for (std::uint32_t at = 0; at < units_per_program_; ++at) programs_.pad_finish(job, number, slot);
  programs_.launch(job);
  replacement_.release_replaced();
  co_return true;
}

// The member's slot to pad next; none if all are full or failed, or no padding is wanted.
std::optional<std::uint32_t> ZonePadding::slot_to_pad(std::uint32_t number, std::uint32_t member) const {
  const FlashZone& zone = zones_[number];
  if (!zone.padding || out_of_room_) return std::nullopt;
  for (std::uint32_t slot = member; slot < zone.blocks.size(); slot += shape_.members()) {
    const BlockNumber block = zone.blocks[slot];
    const std::uint32_t pages = shape_.rows_of(slot, shape_.programs_per_zone()) * context_.geometry.program_pages;
    const bool room =
        block == kNoBlockNumber ? zone_blocks_.any_free() : !blocks_[block].failed && blocks_[block].allocated < pages;
    if (room) return slot;
  }
  return std::nullopt;
}

WaitList* ZonePadding::before_room(std::uint32_t number, std::uint32_t slot) {
  const BlockNumber block = zones_[number].blocks[slot];
  const std::uint32_t die =
      block != kNoBlockNumber ? blocks_.die_of(block) : blocks_.die_of_bank(shape_.bank_of(number, slot));
  return programmer_.not_done(die) > 1 ? &blocks_.waits().events(die).durable : nullptr;
}

Task<bool> ZonePadding::before(std::uint32_t number, std::uint32_t member) {
  for (std::uint32_t passed = 0;; ++passed) {
    const std::optional<std::uint32_t> slot = slot_to_pad(number, member);
    if (!slot) co_return false;
    WaitList* const done = before_room(number, *slot);
    if (done == nullptr || passed == kPatience) co_return true;
    co_await done->wait();
  }
}

Task<void> ZonePadding::pad(std::uint32_t number, std::uint32_t member) {
  const std::optional<std::uint32_t> slot = slot_to_pad(number, member);
  if (!slot) co_return;
  const std::uint32_t bad = blocks_.spare().bad_blocks();
  co_await pad_program(number, *slot);
  if (blocks_.spare().bad_blocks() != bad) co_await retirement_.face_losses(number);
}

}  // namespace flashloom
