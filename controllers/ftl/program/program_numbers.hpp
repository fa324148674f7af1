// Numbers of program units, in the order of their decisions.
#pragma once

#include <cstdint>

#include "policies/state_archive.hpp"

namespace flashloom {

class ProgramNumbers {
 public:
  std::uint64_t last() const { return last_; }
  /// After recovery: the numbers continue after the last one found.
  void continue_after(std::uint64_t number) { last_ = number; }
  /// The number of the next program unit.
  std::uint64_t next() { return ++last_; }
  /// The first number of the next `count` program units.
  std::uint64_t take(std::uint32_t count) {
    last_ += count;
    return last_ - count + 1;
  }

  void state(StateArchive& archive) { archive(last_); }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace flashloom
