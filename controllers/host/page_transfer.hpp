// A request of the page cache to its device: pages that are neighbours, read or written together; a flush; a trim.
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <vector>

#include "controllers/host/page_cache_statistics.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/block/io_command.hpp"
#include "models/common/timer_queue.hpp"
#include "policies/eviction.hpp"

namespace flashloom {

struct PageTransfer final : IoCommand, Timer, boost::intrusive::list_base_hook<> {
  Runtime* runtime = nullptr;
  std::coroutine_handle<> waiter{};
  std::vector<Slot> slots;
  std::vector<SectorToken> contents;
  WaitList done;            // of a fetch
  std::uint64_t order = 0;  // of a write
  WriteBackCause cause = WriteBackCause::Eviction;

  void on_timer() override {
    at.complete = kernel_now();
    runtime->wake(waiter);
  }
};

}  // namespace flashloom
