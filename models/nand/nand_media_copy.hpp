// Fast path for ordinary copies within NandMedia. Include it where copies are made; nand_media.hpp has the declaration.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/nand/nand_media.hpp"

namespace flashloom {

inline bool NandMedia::holds(std::uint64_t unit, OobWord word) const {
  const std::uint64_t page = page_of_unit_.quotient(unit);
  const auto block = static_cast<std::uint32_t>(block_of_page_.quotient(page));
  return errors_ == nullptr && !is_by_rule(block) && readable(block, pages_[page]) && oob_.get(unit) == word;
}

inline bool NandMedia::plain() const {
  return !geometry_.two_passes && slc_end_ == 0 && tokens_ == nullptr && errors_ == nullptr && failed_.empty() &&
         !endurance_.limited() && !any_dead();
}

template <class Units>
bool NandMedia::copy_plainly(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, const Units& units) {
  const FlashAddress& source = read.address;
  const FlashAddress& target = program.address;
  const std::uint32_t page = target.page.value();
  const auto count = static_cast<std::uint32_t>(units.size());
  const std::uint32_t pages = page_of_unit_.quotient(count);
  if (!plain() || std::max(source.die.value(), target.die.value()) >= geometry_.dies ||
      std::max(source.block.value(), target.block.value()) >= geometry_.blocks || read.units != 1 ||
      program.units != geometry_.units_per_program() || count % program.units != 0 || read.first_unit != 0 ||
      program.first_unit != 0 || program.oob != read.oob || read.oob == nullptr || count == 0)
    return false;
  const std::uint32_t from = block_index(source);
  const std::uint32_t to = block_index(target);
  BlockState& block = blocks_[to];
  // A block's first page starts a new sequence, which the slow path handles.
  if (from == to || is_by_rule(from) || is_by_rule(to) || blocks_[from].next == kTornErase || page == 0 ||
      block.next != page || page + pages > geometry_.pages)
    return false;
  const std::uint32_t units_of_block = geometry_.units_per_block();
  const std::uint64_t first_page = std::uint64_t{from} * geometry_.pages;
  const std::uint64_t next_page = page_index(target);
  const std::uint64_t next = next_page * units_per_page_;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = units[i].source - first;
    // The units programmed so far are programmed again by the caller's copy unit by unit.
    if (at >= units_of_block || !whole(pages_[first_page + page_of_unit_.quotient(at)]) ||
        oob_.get(first_page * units_per_page_ + at) != units[i].word) [[unlikely]]
      return false;
    oob_.set(next + i, units[i].word);
  }
  std::fill_n(pages_ + next_page, pages,
              static_cast<std::uint8_t>(kProgrammed | static_cast<std::uint8_t>(program.origin)));
  for (std::uint32_t done = 0; done < pages; done += geometry_.program_pages) note(to, page + done, Deed::Program);
  block.next = page + pages;
  // Leaves the commands as the last copied unit would.
  read.address.page = Page{page_of_unit_.quotient(units[count - 1].source - first)};
  read.status = program.status = FlashStatus::Good;
  read.sequence = blocks_[from].sequence;
  *read.oob = units[count - 1].word;
  program.address.page = Page{page + pages};
  program.sequence += count / program.units;
  return true;
}

}  // namespace flashloom
