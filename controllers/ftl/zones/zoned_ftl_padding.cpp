// Padding of finished zones in the background of other programs. Each member of a zone (a plane of one of its dies)
// pads the rest of its erase units by itself, so that none waits for another one's die. A mount needs only the first
// padding of the finish, which is programmed earlier.
#include "controllers/ftl/zones/zoned_ftl.hpp"

namespace flashloom {

void ZonedFtl::pad_unit(ProgramJob& job, std::uint32_t number, std::uint32_t slot) {
  programmer_.jobs().place_gap(job, finish_word(number, slot));
  ++costs_.finish_padding;
  count_padded(1);
}

Task<bool> ZonedFtl::pad_program(std::uint32_t number, std::uint32_t slot) {
  const bool goes_on = co_await prepare_padding(number, slot);
  if (!goes_on) co_return false;
  ProgramJob& job = programmer_.jobs().begin(zones_[number].blocks[slot], Origin::Padding);
  carry(job);
  for (std::uint32_t at = 0; at < units_per_program_; ++at) pad_unit(job, number, slot);
  launch(job);
  let_go();
  co_return true;
}

// The member's slot to pad next; none if all are full or failed, or no padding is wanted.
std::optional<std::uint32_t> ZonedFtl::slot_to_pad(std::uint32_t number, std::uint32_t member) const {
  const Zone& zone = zones_[number];
  if (!zone.padding || out_of_room_) return std::nullopt;
  for (std::uint32_t slot = member; slot < zone.blocks.size(); slot += shape_.members()) {
    const BlockNumber block = zone.blocks[slot];
    const std::uint32_t pages = shape_.rows_of(slot, shape_.programs_per_zone()) * context_.geometry.program_pages;
    const bool room = block == kNoBlockNumber ? blocks_.free().of_die(roomiest_die()) != 0
                                              : !blocks_[block].failed && blocks_[block].allocated < pages;
    if (room) return slot;
  }
  return std::nullopt;
}

WaitList* ZonedFtl::before_room_to_pad(std::uint32_t number, std::uint32_t slot) {
  const BlockNumber block = zones_[number].blocks[slot];
  const std::uint32_t die =
      block != kNoBlockNumber ? blocks_.die_of(block) : blocks_.die_of_bank(shape_.bank_of(number, slot));
  return programmer_.not_done(die) > 1 ? &blocks_.waits().events(die).durable : nullptr;
}

Task<bool> ZonedFtl::before_padding(std::uint32_t number, std::uint32_t member) {
  for (std::uint32_t passed = 0;; ++passed) {
    const std::optional<std::uint32_t> slot = slot_to_pad(number, member);
    if (!slot) co_return false;
    WaitList* const done = before_room_to_pad(number, *slot);
    if (done == nullptr || passed == kPaddingPatience) co_return true;
    co_await done->wait();
  }
}

Task<void> ZonedFtl::pad(std::uint32_t number, std::uint32_t member) {
  const std::optional<std::uint32_t> slot = slot_to_pad(number, member);
  if (!slot) co_return;
  const std::uint32_t bad = blocks_.spare().bad_blocks();
  co_await pad_program(number, *slot);
  if (blocks_.spare().bad_blocks() != bad) co_await face_losses(number);
}

}  // namespace flashloom
