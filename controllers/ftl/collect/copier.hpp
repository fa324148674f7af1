// Carries out copies behind the decisions: one worker a die gathers the data of filled program units in the order in
// which they were filled, and programs them. Shared by all FTLs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/copy_debt.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class Copier {
 public:
  /// `debt`, if there is one, is told of what is behind; it outlives the programmer's work.
  Copier(const FtlContext& context, BlockTable& blocks, Programmer& programmer, CopyDebt* debt = nullptr);

  /// Takes a filled (or padded) program unit that has copies. What they are copied from must be on its way to flash.
  void launch(ProgramJob& job);
  /// Some on the die are not on flash yet.
  bool busy(std::uint32_t die) const { return dies_[die].working || dies_[die].window.in_flight != 0; }

 private:
  struct Work {
    ProgramJob* job = nullptr;  ///< or none: parked
    ParkedJob parked;
  };
  struct DieState {
    std::vector<Work> work;  ///< in order; `next` is the next to gather
    std::size_t next = 0;
    bool working = false;
    CopyWindow window;
  };

  Task<void> work(std::uint32_t die);

  BlockTable& blocks_;
  Programmer& programmer_;
  CopyDebt* debt_;
  std::uint32_t in_flight_;  // copies of a die whose data are read, and not programmed yet, at most
  std::vector<DieState> dies_;
};

}  // namespace flashloom
