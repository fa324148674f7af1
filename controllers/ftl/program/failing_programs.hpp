// Failed programs: where their data go. As elsewhere, decisions precede flash operations: the next program unit is
// begun elsewhere at once, and waits for the status of the failing one.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/program/program_numbers.hpp"

namespace flashloom {

class Programmer;

/// Before beginning a program unit in an open block, the caller asks whether it fails. If so, fail() gives out that
/// program unit and the block is no longer open: the caller begins the next program unit elsewhere and attaches the
/// failure (try_first). The data are programmed at the failing place first; when the status is known, they are fetched
/// from the buffer again and programmed at their own place, the only one that the map knows.
class FailingPrograms {
 public:
  FailingPrograms(const FtlContext& context, BlockTable& blocks, ProgramNumbers& numbers, Programmer& programmer)
      : context_(context), blocks_(blocks), numbers_(numbers), programmer_(programmer) {}

  bool next_fails(BlockNumber block) { return numbers_.next_fails(block); }
  FailedProgram fail(BlockNumber block);
  /// The job is tried at the failed places first. Their blocks are closed, so they may be collected from now on.
  void try_first(ProgramJob& job, std::vector<FailedProgram>& failures, std::uint64_t age);
  /// Tries padding at the failed places, when no other data are to be programmed.
  void try_padding(std::vector<FailedProgram>& failures, Origin origin, std::uint64_t age);

  // --- For the Programmer, with a job that has failures.
  /// What it must wait for before its first attempt may enter the die's queue; null if nothing: then its command is
  /// built.
  WaitList* before_try(ProgramJob& job);
  void submit_try(ProgramJob& job);
  void has_failed(ProgramJob& job);

 private:
  const FtlContext& context_;
  BlockTable& blocks_;
  ProgramNumbers& numbers_;
  Programmer& programmer_;
};

}  // namespace flashloom
