// The controller's access to host memory.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/runtime/runtime.hpp"
#include "models/common/timer_queue.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom::nvme {

/// A contiguous piece of host memory.
struct Segment {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t address = 0;  ///< kNowhere: data for it are dropped (a bit bucket)
  std::uint32_t bytes = 0;
};

/// Moves bytes to and from host memory, which may complete at once or later. Each move fails unless allowed (Bus Master
/// Enable).
class Dma {
 public:
  explicit Dma(TimerQueue& timers) : port_("dma"), timers_(timers) {}

  tlm::tlm_initiator_socket<>& socket() { return port_.socket; }
  void allow(bool allowed) { allowed_ = allowed; }
  /// A move is being submitted now: the memory may call back.
  bool asking() const { return asking_; }
  /// Drops all moves; their waiters are not resumed.
  void drop_all() { port_.drop_all(); }

  /// `co_await`: moves the pieces in order, stops at the first that fails, and yields whether all have succeeded.
  class Transfer final : private MemoryAccess, private Timer {
   public:
    Transfer(Dma& dma, bool writes, const Segment* first, std::size_t count, std::byte* begin)
        : dma_(dma), next_segment_(first), left_(count), bytes_(begin) {
      write = writes;
    }
    Transfer(Dma& dma, bool writes, std::uint64_t at_address, void* begin, std::uint32_t count)
        : dma_(dma), one_{at_address, count}, next_segment_(nullptr), left_(1), bytes_(static_cast<std::byte*>(begin)) {
      write = writes;
    }
    bool await_ready() { return go_on(); }
    void await_suspend(std::coroutine_handle<> waiter) {
      waiter_ = waiter;
      runtime_ = &Runtime::current();
    }
    bool await_resume() const noexcept { return succeeded_; }

   private:
    bool go_on();
    void on_complete() override {
      succeeded_ = ok();
      if (go_on()) runtime_->wake(waiter_);
    }
    void on_timer() override { runtime_->wake(waiter_); }

    Dma& dma_;
    Segment one_{};
    const Segment* next_segment_;  // null: one_
    std::size_t left_;
    std::byte* bytes_;
    bool succeeded_ = true;
    std::coroutine_handle<> waiter_{};
    Runtime* runtime_ = nullptr;
  };

  Transfer read(const std::vector<Segment>& from, std::byte* into) {
    return {*this, false, from.data(), from.size(), into};
  }
  Transfer write(const std::vector<Segment>& into, std::byte* from) {
    return {*this, true, into.data(), into.size(), from};
  }
  Transfer read(std::uint64_t address, void* into, std::uint32_t bytes) { return {*this, false, address, into, bytes}; }
  Transfer write(std::uint64_t address, void* from, std::uint32_t bytes) { return {*this, true, address, from, bytes}; }

 private:
  MemoryPort port_;
  TimerQueue& timers_;
  bool allowed_ = false;
  bool asking_ = false;
};

}  // namespace flashloom::nvme
