// Represents a sequential fill by a rule instead of tables: program unit n of the fill holds mapping units n * k to
// n * k + k - 1 in order, wherever it is programmed, and their words form an arithmetic progression. So the number of
// each program unit suffices: 4 bytes instead of 8 a mapping unit and 1 a page.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/zeroed_memory.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// The word of mapping unit u of a fill is first + u * step.
struct FillWords {
  OobWord first = 0;
  OobWord step = 0;
};

/// For NandMedia. By erase unit: the rule holds either all that is programmed in it, or nothing.
class FillRule {
 public:
  FillRule(const NandGeometry& geometry, const FillWords& words);

  bool has(std::uint32_t block) const { return held_[block] != 0; }
  /// Word of mapping unit `unit` of a page in an erase unit that the rule holds.
  OobWord word(std::uint64_t page, std::uint32_t unit) const {
    const std::uint64_t program = pages_.quotient(page);
    const std::uint64_t in_program = (page - program * pages_.value()) * units_per_page_ + unit;
    return words_.first + (std::uint64_t{numbers_[program]} * units_per_program_ + in_program) * words_.step;
  }
  OobWord step() const { return words_.step; }
  /// Forced inline, since GCC removes calls of functions that only prefetch as having no effect.
  [[gnu::always_inline]] void prefetch(std::uint64_t page) const {
    __builtin_prefetch(numbers_ + pages_.quotient(page));
  }

  /// Program unit `number` of the fill is programmed at that page of that erase unit.
  void add(std::uint32_t block, std::uint64_t page, std::uint32_t number) {
    note(page, number);
    blocks_ += 1U - held_[block];
    held_[block] = 1;
  }
  /// Same as add(), for a caller that updates the page's state itself.
  void note(std::uint64_t page, std::uint32_t number) { numbers_[pages_.quotient(page)] = number; }
  void drop(std::uint32_t block) {
    held_[block] = 0;
    --blocks_;
  }
  /// Whether the rule holds no erase unit any more.
  bool empty() const { return blocks_ == 0; }

  /// Saved states, for archives that map tables.
  template <class Archive>
  void state(Archive& archive) {
    archive(words_.first, words_.step, held_, blocks_);
    archive.mapping(memory_.data(), memory_.size(),
                    [&] { archive.differences(numbers_, memory_.size() / sizeof(*numbers_)); });
  }

 private:
  FillWords words_;
  Divisor pages_;  // pages of a program unit
  std::uint32_t units_per_page_;
  std::uint32_t units_per_program_;
  ZeroedMemory memory_;
  std::uint32_t* numbers_;          // number in the fill, by program unit of the flash
  std::vector<std::uint8_t> held_;  // by erase unit
  std::uint32_t blocks_ = 0;        // erase units held
};

}  // namespace flashloom
