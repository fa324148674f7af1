// Represents a sequential fill by a rule instead of tables: program unit n of the fill holds mapping units n * k to
// n * k + k - 1 in order, wherever it is programmed, and their words form an arithmetic progression. A fill that goes
// round the open blocks gives each of them program units at equal distances, so that two numbers an erase unit suffice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// The word of mapping unit u of a fill is first + u * step.
struct FillWords {
  OobWord first = 0;
  OobWord step = 0;
};

/// Program units of a fill in successive places of an erase unit: number, number + step, ...
struct FillRun {
  std::uint32_t number = 0;
  std::uint32_t step = 0;
  std::uint32_t count = 1;
};

/// For NandMedia. By erase unit: the rule holds either all that is programmed in it, or nothing.
class FillRule {
 public:
  FillRule(const NandGeometry& geometry, const FillWords& words)
      : words_(words),
        pages_(geometry.program_pages),
        units_per_page_(geometry.units_per_page),
        units_per_program_(geometry.units_per_program()),
        held_(std::size_t{geometry.dies} * geometry.blocks) {}

  bool has(std::uint32_t block) const { return held_[block].step != 0; }
  /// Word of mapping unit `unit` of a page in an erase unit that the rule holds.
  OobWord word(std::uint32_t block, std::uint32_t page, std::uint32_t unit) const {
    const std::uint32_t program = pages_.quotient(page);
    const std::uint32_t in_program = (page - program * pages_.value()) * units_per_page_ + unit;
    return first_word(held_[block].number + program * held_[block].step) + in_program * words_.step;
  }
  /// Word of the first mapping unit of program unit `number`.
  OobWord first_word(std::uint32_t number) const {
    return words_.first + std::uint64_t{number} * units_per_program_ * words_.step;
  }
  OobWord step() const { return words_.step; }
  /// Calls take(word) for all words of an erase unit's first `pages` pages, in order.
  template <class Take>
  void for_words(std::uint32_t block, std::uint32_t pages, Take take) const {
    for (std::uint32_t page = 0; page < pages; ++page) {
      OobWord next = word(block, page, 0);
      for (std::uint32_t unit = 0; unit < units_per_page_; ++unit, next += words_.step) take(next);
    }
  }

  /// Adds program units from a page of an erase unit on: of an empty one, or of one that the rule holds up to there.
  /// False: they do not go on at its distance, and nothing is added.
  bool add(std::uint32_t block, std::uint32_t page, const FillRun& run) {
    Held& held = held_[block];
    if (page == 0) {
      held = {run.number, std::max(run.step, 1U)};
      ++blocks_;
    }
    const std::uint32_t program = pages_.quotient(page);
    if (program == 1) held.step = run.number - held.number;
    return held.number + program * held.step == run.number && (run.count == 1 || held.step == run.step);
  }
  void drop(std::uint32_t block) {
    held_[block].step = 0;
    --blocks_;
  }
  /// Whether the rule holds no erase unit any more.
  bool empty() const { return blocks_ == 0; }

  /// Saved states, for archives that take rules.
  template <class Archive>
  void state(Archive& archive) {
    archive(words_.first, words_.step, held_, blocks_);
  }

 private:
  struct Held {
    std::uint32_t number;  // of the first program unit
    std::uint32_t step;    // to the number of the next one; 0: the erase unit is not held
  };

  FillWords words_;
  Divisor pages_;  // pages of a program unit
  std::uint32_t units_per_page_;
  std::uint32_t units_per_program_;
  std::vector<Held> held_;    // by erase unit
  std::uint32_t blocks_ = 0;  // erase units held
};

}  // namespace flashloom
