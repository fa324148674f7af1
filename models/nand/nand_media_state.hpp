// Saved states of NandMedia. Included by nand_media.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/nand/nand_media.hpp"

namespace flashloom {

template <class F>
void NandMedia::for_each_unit(F&& f) const {
  for (std::uint32_t die = 0; die < geometry_.dies; ++die) {
    for (std::uint32_t block = 0; block < geometry_.blocks; ++block) {
      const std::uint32_t end = write_pointer(Die{die}, Block{block});
      for (std::uint32_t p = 0; p < end; ++p) {
        const FlashAddress address{Die{die}, Block{block}, Page{p}};
        if (page(address).status != FlashStatus::Good) continue;
        for (std::uint32_t unit = 0; unit < units_per_page_; ++unit) f(address, unit, oob(address, unit));
      }
    }
  }
}

template <class Archive>
void NandMedia::state(Archive& archive) {
  archive(deeds_, recent_, worn_out_);
  std::vector<OobWord> words = content_words();
  archive(words);
  for (const OobWord word : words) archive(contents_[word]);
  if (archive.takes_rules()) rule_state(archive);
  const unsigned own = oob_.width();
  unsigned width = own;
  bool low_bits = low_bits_only_;
  archive(width, low_bits);
  if (width != own) lay_out(width);
  oob_.state(archive);
  archive.mapping(memory_->data(), memory_->size(), [&] { pages_state(archive); });
  high_bits_missing_ = low_bits && !low_bits_only_;
  modes_.state(archive);
  archive(marks_);
  if (endurance_.limited()) archive(program_failures_, erase_failures_);
  if (!failed_.empty()) archive(failed_, planted_, dead_die_);
  if (errors_ != nullptr) errors_->state(archive);
}

// Programmed content, block by block.
template <class Archive>
void NandMedia::pages_state(Archive& archive) {
  archive.table(blocks_, block_count_);
  for (std::uint64_t block = 0; block < block_count_; ++block) {
    const std::uint64_t first = block * geometry_.pages;
    const std::uint32_t pages = std::min(blocks_[block].next, geometry_.pages);
    const std::uint64_t first_unit = first * units_per_page_;
    const std::uint64_t units = std::uint64_t{pages} * units_per_page_;
    if (is_by_rule(static_cast<std::uint32_t>(block))) {
      if (!archive.takes_rules()) state_by_rule(archive, static_cast<std::uint32_t>(block), pages);
      continue;
    }
    archive.table(pages_ + first, pages);
    archive.differences(
        units, [&](std::uint64_t i) { return oob_.get(first_unit + i); },
        [&](std::uint64_t i, OobWord word) { oob_.set(first_unit + i, word); });
    if (tokens_ != nullptr) archive.differences(tokens_ + first_unit * sectors_per_unit_, units * sectors_per_unit_);
  }
}

// For archives that take no rules: transfers the tables that the rule stands for.
template <class Archive>
void NandMedia::state_by_rule(Archive& archive, std::uint32_t block, std::uint32_t pages) const {
  std::vector<std::uint8_t> states(pages, kByRule);
  std::vector<OobWord> words(std::size_t{pages} * units_per_page_);
  rule_->for_words(block, pages, [to = words.data()](OobWord word) mutable { *to++ = word; });
  archive.table(states.data(), states.size());
  archive.differences(words.data(), words.size());
}
template <class Archive>
void NandMedia::rule_state(Archive& archive) {
  bool any = rule_ != nullptr;
  archive(any);
  if (any && rule_ == nullptr) begin_fill({});
  if (any) rule_->state(archive);
}

}  // namespace flashloom
