// Keeps compare-and-write atomic: while a fused pair is under way no other command writes its range.
#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "controllers/nvme/nvme_queues.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom::nvme {

/// Writers may overlap each other; a fused pair holds its range exclusively. Waiters have no order.
class RangeLocks {
 public:
  /// True: nothing stands in the way, and the command has its range until leave(). Else `co_await waits()`, and again.
  bool enter(NvmeCommand& command, std::uint64_t offset, std::uint64_t bytes, bool alone);
  WaitList::Awaiter waits() { return changed_.wait(); }
  void leave(NvmeCommand& command);
  /// All commands are forgotten.
  void reset();

 private:
  struct Held {
    NvmeCommand* command;
    std::uint64_t begin;
    std::uint64_t end;
    bool alone;
  };
  std::vector<Held> held_;
  std::uint32_t alone_ = 0;  // of them
  WaitList changed_;
};

}  // namespace flashloom::nvme
