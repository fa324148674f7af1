// What follows when an open block is closed, be it full or because a program failed in it.
#pragma once

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class ClosedBlocks final : private CloseObserver {
 public:
  ClosedBlocks(Programmer& programmer, const FtlStatistics& statistics)
      : programmer_(programmer), statistics_(statistics) {
    if (FailureHandler* const failures = programmer.failure_handler()) failures->attach(*this);
  }
  void attach(CloseObserver& observer) { observer_ = &observer; }

  void note(BlockNumber block) {
    programmer_.decided(block, statistics_.units_written);
    if (observer_ != nullptr) [[unlikely]]
      observer_->closed(block);
  }

 private:
  void closed(BlockNumber block) override { note(block); }

  Programmer& programmer_;
  const FtlStatistics& statistics_;
  CloseObserver* observer_ = nullptr;
};

}  // namespace flashloom
