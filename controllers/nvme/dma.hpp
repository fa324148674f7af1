// The controller's way to the memory of the host.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/runtime/runtime.hpp"
#include "models/common/timer_queue.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom::nvme {

/// A piece of memory of the host that is contiguous there.
struct Segment {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t address = 0;  ///< kNowhere: what would go there is thrown away (a bit bucket)
  std::uint32_t bytes = 0;
};

/// Moves bytes to and from memories that answer at once or in phases. Only while the bus allows it (Bus Master Enable);
/// else each move fails.
class Dma {
 public:
  explicit Dma(TimerQueue& timers) : port_("dma"), timers_(timers) {}

  tlm::tlm_initiator_socket<>& socket() { return port_.socket; }
  void allow(bool allowed) { allowed_ = allowed; }
  /// A move is being asked for now: the memory may call back.
  bool asking() const { return asking_; }
  /// Nobody waits for a move any more.
  void drop_all() { port_.drop_all(); }

  /// `co_await`: moves piece after piece, and yields whether all of them succeeded; ends with the first that does not.
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
