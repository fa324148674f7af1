#include "controllers/flash/instant_flash.hpp"

#include "models/nand/nand_media_copy.hpp"

namespace flashloom {

inline void InstantFlash::carry_out(OnfiCommand& command) {
  if (ecc_ != nullptr) [[unlikely]]
    apply_and_decode(command);
  else
    media_.apply(command);
  count_flash(counters_, command, media_.geometry(), timing_);
}

bool InstantFlash::submit(OnfiCommand& command) {
  if (command.together == nullptr && command.then == nullptr) [[likely]]
    carry_out(command);
  else
    carry_out_group(command);
  return true;
}

// They are alike but for their pages: counted together.
bool InstantFlash::copy(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, std::span<const Copied> units) {
  const bool good = media_.copy_plainly(read, program, first, units) ||
                    copy_each(read, program, first, units, [this](OnfiCommand& command) { media_.apply(command); });
  count_flash(counters_, read, media_.geometry(), timing_, units.size());
  count_flash(counters_, program, media_.geometry(), timing_, units.size());
  return good;
}

void InstantFlash::program_by_rule(OnfiCommand& command, std::uint32_t number) {
  media_.program_by_rule(command, number);
  count_flash(counters_, command, media_.geometry(), timing_);
}

void InstantFlash::program_turns_by_rule(const OnfiCommand& command, std::span<const FlashAddress> places,
                                         std::uint32_t number, std::uint32_t turns) {
  media_.program_turns_by_rule(places, number, turns);
  count_flash(counters_, command, media_.geometry(), timing_, places.size() * turns);
}

void InstantFlash::carry_out_group(OnfiCommand& command) {
  media_.check(command);
  if (command.then == nullptr)
    for (const OnfiCommand* each = command.together; each != nullptr; each = each->together) ++counters_.read_together;
  for_each_of_group(command, [this](OnfiCommand& each) { carry_out(each); });
}

void InstantFlash::apply_and_decode(OnfiCommand& command) {
  command.at = {};  // it may have been used on the timed clock
  media_.apply(command);
  if (command.operation == FlashOperation::Read) ecc_->decode(command, false);
}

}  // namespace flashloom
