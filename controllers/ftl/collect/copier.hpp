// Carries out copies after they are decided on: one worker per die gathers the data of filled program units, in the
// order in which they were filled, and programs them. Shared by all FTLs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class Copier {
 public:
  /// `debt`, if not null, counts pending copies; it must outlive all copy jobs.
  Copier(const FtlContext& context, BlockTable& blocks, Programmer& programmer, CopyDebt* debt = nullptr);

  /// Takes a filled (or padded) program unit with copies, whose source data must be on flash or in flight.
  void launch(ProgramJob& job);
  /// Some copies on the die are not on flash yet.
  bool busy(std::uint32_t die) const { return dies_[die].working || dies_[die].window.in_flight != 0; }

 private:
  struct Work {
    ProgramJob* job = nullptr;  ///< null: parked
    ParkedJob parked;
  };
  struct DieState {
    std::vector<Work> work;  ///< in order; `next` is the index of the next to gather
    std::size_t next = 0;
    bool working = false;
    CopyWindow window;
  };

  Task<void> work(std::uint32_t die);

  BlockTable& blocks_;
  Programmer& programmer_;
  CopyDebt* debt_;
  std::uint32_t in_flight_;  // most copy jobs of a die that are read but not yet programmed
  std::vector<DieState> dies_;
};

}  // namespace flashloom
