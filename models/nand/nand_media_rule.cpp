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
  if (geometry_.units_per_program() < 2) return "a program unit is one mapping unit: the rule would save nothing";
  return nullptr;
}

void NandMedia::begin_fill(const FillWords& words) {
  if (why_no_rule() != nullptr || rule_ != nullptr) throw std::logic_error("a rule cannot tell what is on this flash");
  rule_ = std::make_unique<FillRule>(geometry_, words);
  memory_->touch_in_small_pages();
}

void NandMedia::program_by_rule(const OnfiCommand& command, std::uint32_t number) {
  check_program(command);
  const std::uint32_t block = block_index(command.address);
  // A block that was partly programmed before the fill continues in the tables.
  if (blocks_[block].next == 0 || rule_->has(block)) {
    rule_->add(block, page_index(command.address), number);
  } else {
    const std::uint64_t page = page_index(command.address);
    rule_->note(page, number);
    std::fill_n(pages_ + page, geometry_.program_pages, kByRule);
    write_words_by_rule(page, geometry_.program_pages);
  }
  programmed(command, geometry_.program_pages);
}

void NandMedia::end_fill() {
  for (std::uint32_t block = 0; block < block_count_; ++block)
    if (is_by_rule(block) && blocks_[block].next < geometry_.pages) write_out(block);
  if (rule_ != nullptr && rule_->empty()) rule_.reset();
}

void NandMedia::write_words_by_rule(std::uint64_t first_page, std::uint64_t pages) {
  for_words_by_rule(first_page, pages,
                    [this, at = first_page * units_per_page_](OobWord word) mutable { oob_.set(at++, word); });
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
  OobWord word = rule_->word(page_index(command.address), command.first_unit);
  for (std::uint32_t i = 0; i < command.units; ++i, word += rule_->step()) command.oob[i] = word;
}

// Moves an erase unit from the rule to the tables; not visible from outside.
void NandMedia::write_out(std::uint32_t block) {
  const std::uint64_t first = std::uint64_t{block} * geometry_.pages;
  const std::uint64_t pages = std::min(blocks_[block].next, geometry_.pages);
  std::fill_n(pages_ + first, pages, kByRule);
  write_words_by_rule(first, pages);
  drop_rule(block);
}

// Also drops the rule when it holds no erase unit any more, to save time.
void NandMedia::drop_rule(std::uint32_t block) {
  rule_->drop(block);
  if (rule_->empty()) rule_.reset();
}

}  // namespace flashloom
