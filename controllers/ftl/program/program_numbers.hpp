// Numbers of program units, in the order of their decisions; failures that the device file asks for come by number.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"

namespace flashloom {

class ProgramNumbers {
 public:
  ProgramNumbers(const FtlContext& context, BlockTable& blocks);

  std::uint64_t last() const { return last_; }
  /// After recovery: the numbers continue after the last one found.
  void continue_after(std::uint64_t number) { last_ = number; }
  /// The number of the next program unit. At the number that the device file names, its die fails.
  std::uint64_t next() {
    if (++last_ == die_failure_at_) [[unlikely]]
      kill_die();
    return last_;
  }
  /// The first number of the next `count` program units, on devices whose dies do not fail.
  std::uint64_t take(std::uint32_t count) {
    last_ += count;
    return last_ - count + 1;
  }
  /// Whether the next program unit fails in this open block.
  bool next_fails(BlockNumber block) { return blocks_.failures().possible() && will_fail(block); }

  void state(StateArchive& archive) { archive(last_); }

 private:
  bool will_fail(BlockNumber block);
  [[gnu::cold, gnu::noinline]] void kill_die();

  const FtlContext& context_;
  BlockTable& blocks_;
  std::uint64_t last_ = 0;
  std::uint64_t failed_program_;  // number of the program that is to fail; 0: none, or already failed
  std::uint64_t die_failure_at_;  // number of the program at which a die fails; 0: none
};

}  // namespace flashloom
