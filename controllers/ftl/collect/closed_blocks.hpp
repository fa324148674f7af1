// What follows when an open block is closed, be it full or because a program failed in it.
#pragma once

#include <vector>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

/// Hears of closed blocks.
class CloseObserver {
 public:
  virtual void closed(BlockNumber block) = 0;

 protected:
  ~CloseObserver() = default;
};

class ClosedBlocks {
 public:
  ClosedBlocks(Programmer& programmer, const FtlStatistics& statistics)
      : programmer_(programmer), statistics_(statistics) {}
  void attach(CloseObserver& observer) { observer_ = &observer; }

  void note(BlockNumber block) {
    programmer_.decided(block, statistics_.units_written);
    if (observer_ != nullptr) [[unlikely]]
      observer_->closed(block);
  }
  /// Attaches the failed programs of a stream to `job` (FailingPrograms::try_first()), whose blocks are then closed.
  void try_first(ProgramJob& job, std::vector<FailedProgram>& failures);
  /// Tries the failed programs with padding, which needs no other place.
  void try_padding(std::vector<FailedProgram>& failures, Origin origin);

 private:
  Programmer& programmer_;
  const FtlStatistics& statistics_;
  CloseObserver* observer_ = nullptr;
};

}  // namespace flashloom
