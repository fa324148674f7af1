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

// Of units that are read for a program unit: consecutive ones of a page are read by one command.
template <class UnitOf>
inline void InstantFlash::count_reads(Origin origin, std::size_t units, UnitOf unit_of) {
  FlashCount& count = counters_.at(FlashOperation::Read, origin);
  const NandGeometry& geometry = media_.geometry();
  for (std::size_t i = 0; i < units;) {
    const std::size_t first = i++;
    if (unit_of(first) == kNotRead) continue;
    while (i < units && unit_of(i) == unit_of(i - 1) + 1 && unit_of(i) % geometry.units_per_page != 0) ++i;
    const auto together = static_cast<std::uint32_t>(i - first);
    ++count.commands;
    ++count.pages;
    count.units += together;
    count.bus_bytes += timing_.bus_bytes(together * geometry.unit_bytes);
  }
}

bool InstantFlash::read_units(Origin origin, std::span<const std::uint32_t> units, const OobWord* words) {
  if (ecc_ != nullptr || media_.geometry().reads_together()) return false;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (units[i] != kNotRead && !media_.holds(units[i], words[i])) return false;
  count_reads(origin, units.size(), [units](std::size_t i) { return units[i]; });
  return true;
}

bool InstantFlash::copy(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, std::span<const Copied> units) {
  if (!media_.copy_plainly(read, program, first, units) && !copy_each(read, program, first, units)) return false;
  if (program.units == 1) [[likely]]
    count_flash(counters_, read, media_.geometry(), timing_, units.size());
  for (std::size_t i = 0; program.units != 1 && i < units.size(); i += program.units)
    count_reads(read.origin, program.units, [of = units.subspan(i)](std::size_t unit) { return of[unit].source; });
  count_flash(counters_, program, media_.geometry(), timing_, units.size() / program.units);
  return true;
}

bool InstantFlash::copy_each(OnfiCommand& read, OnfiCommand& program, std::uint32_t first,
                             std::span<const Copied> units) {
  const NandGeometry& geometry = media_.geometry();
  for (std::size_t i = 0; i < units.size(); i += program.units) {
    for (std::uint32_t unit = 0; unit < program.units; ++unit) {
      const std::uint32_t at = units[i + unit].source - first;
      read.address.page = Page{at / geometry.units_per_page};
      read.first_unit = static_cast<std::uint16_t>(at % geometry.units_per_page);
      read.oob = program.oob + unit;
      media_.apply(read);
      if (read.status != FlashStatus::Good || *read.oob != units[i + unit].word) [[unlikely]]
        return false;
    }
    read.oob = program.oob;
    read.first_unit = 0;
    media_.apply(program);
    program.address.page = Page{program.address.page.value() + geometry.program_pages};
    ++program.sequence;
  }
  return true;
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
