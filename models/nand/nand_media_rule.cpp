// NandMedia with a rule in place of the tables of a sequential fill.
#include <algorithm>

#include "models/nand/nand_media.hpp"

namespace flashloom {

const char* NandMedia::why_no_rule() const {
  if (tokens_ != nullptr) return "each sector has a token of its own (verify)";
  if (errors_ != nullptr) return "cells have bit errors";
  if (!failed_.empty()) return "programs may fail";
  if (geometry_.two_passes) return "a program changes the pages before it";
  if (geometry_.any_slc()) return "blocks have two modes";
  if (geometry_.sizes_vary()) return "mapping units differ in size";
  if (geometry_.pages % geometry_.program_pages != 0) return "program units do not fill an erase unit";
  return nullptr;
}

void NandMedia::begin_fill(const FillWords& words) {
  if (why_no_rule() != nullptr || rule_ != nullptr) throw std::logic_error("a rule cannot tell what is on this flash");
  rule_ = std::make_unique<FillRule>(geometry_, words);
  memory_->touch_in_small_pages();
}

void NandMedia::program_by_rule(const OnfiCommand& command, std::uint32_t number) {
  check_program(command);
  store_by_rule(command.address, {.number = number});
  programmed(command, geometry_.program_pages);
}

void NandMedia::program_turns_by_rule(std::span<const FlashAddress> places, std::uint32_t number, std::uint32_t turns) {
  const auto step = static_cast<std::uint32_t>(places.size());
  for (const FlashAddress& place : places) {
    BlockState& block = blocks_[block_index(place)];
    if (block.next == 0 || block.next != place.page.value() ||
        block.next + turns * geometry_.program_pages > geometry_.pages)
      throw std::logic_error("a fill by a rule does not go on in an open block");
    store_by_rule(place, {.number = number++, .step = step, .count = turns});
    block.next += turns * geometry_.program_pages;
  }
  std::uint32_t turn = turns - std::min<std::uint32_t>(turns, (kRecent + step - 1) / step);
  deeds_ += std::uint64_t{turn} * step;
  for (; turn < turns; ++turn)
    for (const FlashAddress& place : places)
      note(block_index(place), place.page.value() + turn * geometry_.program_pages, Deed::Program);
}

// A block that was partly programmed before the fill, or whose program units do not follow each other at one distance,
// is in the tables.
void NandMedia::store_by_rule(const FlashAddress& address, const FillRun& run) {
  const std::uint32_t block = block_index(address);
  if (address.page.value() == 0 || rule_->has(block)) {
    if (rule_->add(block, address.page.value(), run)) return;
    write_out_content(block);
    rule_->drop(block);
  }
  std::uint64_t page = page_index(address);
  for (std::uint32_t i = 0; i < run.count; ++i, page += geometry_.program_pages) {
    std::fill_n(pages_ + page, geometry_.program_pages, kByRule);
    OobWord word = rule_->first_word(run.number + i * run.step);
    const std::uint64_t unit = page * units_per_page_;
    for (std::uint32_t at = 0; at < geometry_.units_per_program(); ++at, word += rule_->step())
      oob_.set(unit + at, word);
  }
}

void NandMedia::end_fill() {
  for (std::uint32_t block = 0; block < block_count_; ++block)
    if (is_by_rule(block) && blocks_[block].next < geometry_.pages) write_out(block);
  if (rule_ != nullptr && rule_->empty()) rule_.reset();
}

void NandMedia::read_by_rule(OnfiCommand& command) const {
  const std::uint32_t block = block_index(command.address);
  if (blocks_[block].next == kTornErase) {
    command.status = FlashStatus::Torn;
    std::fill_n(command.oob, command.units, OobWord{0});
    return;
  }
  command.status = FlashStatus::Good;
  command.sequence = blocks_[block].sequence;
  OobWord word = rule_->word(block, command.address.page.value(), command.first_unit);
  for (std::uint32_t i = 0; i < command.units; ++i, word += rule_->step()) command.oob[i] = word;
}

// Moves an erase unit from the rule to the tables; not visible from outside.
void NandMedia::write_out(std::uint32_t block) {
  write_out_content(block);
  drop_rule(block);
}

void NandMedia::write_out_content(std::uint32_t block) {
  const std::uint64_t first = std::uint64_t{block} * geometry_.pages;
  const std::uint32_t pages = std::min(blocks_[block].next, geometry_.pages);
  std::fill_n(pages_ + first, pages, kByRule);
  rule_->for_words(block, pages, [this, at = first * units_per_page_](OobWord word) mutable { oob_.set(at++, word); });
}

// Also drops the rule when it holds no erase unit any more, to save time.
void NandMedia::drop_rule(std::uint32_t block) {
  rule_->drop(block);
  if (rule_->empty()) rule_.reset();
}

}  // namespace flashloom
