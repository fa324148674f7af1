// An initiator's side of the block socket for coroutines: `co_await port.submit(transfer)` returns when the command has
// completed.
#pragma once

#include <coroutine>
#include <memory>
#include <systemc>
#include <vector>

#include "controllers/runtime/runtime.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// A command with the coroutine that waits for it.
struct SwapCommand : IoCommand, Timer {
  Runtime* runtime = nullptr;
  std::coroutine_handle<> waiter{};  ///< null: nobody waits any more

  void on_timer() override {
    at.complete = kernel_now();
    if (waiter) runtime->wake(std::exchange(waiter, {}));
  }
  /// Resets the command, with submission now.
  void begin(IoOperation command, std::uint16_t to_queue) {
    static_cast<IoCommand&>(*this) = {};
    operation = command;
    queue = to_queue;
    at.arrival = at.submit = kernel_now();
    breakdown.begin(kernel_now());
  }

 protected:
  ~SwapCommand() = default;
};

class SwapPort : public sc_core::sc_module, private BlockBackward {
 public:
  SwapPort(const sc_core::sc_module_name& name, std::uint32_t queues) : sc_module(name), timers_("timers") {
    for (std::uint32_t queue = 0; queue < queues; ++queue) {
      sockets_.push_back(std::make_unique<BlockInitiatorSocket>(("socket" + std::to_string(queue)).c_str()));
      sockets_.back()->bind(*this);
    }
  }

  BlockInitiatorSocket& socket(std::uint32_t queue) { return *sockets_[queue]; }
  std::uint32_t queues() const { return static_cast<std::uint32_t>(sockets_.size()); }

  struct Submission {
    SwapPort& port;
    SwapCommand& transfer;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const {
      transfer.waiter = waiter;
      transfer.runtime = &Runtime::current();
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      (*port.sockets_[transfer.queue])->nb_transport_fw(transfer, phase, delay);
    }
    void await_resume() const noexcept {}
  };
  /// Awaited by a coroutine of the current runtime. `transfer` must live until it has completed, even without a waiter.
  Submission submit(SwapCommand& transfer) { return {*this, transfer}; }
  /// Commands that the device has failed with a media error.
  std::uint64_t media_errors() const { return media_errors_; }

 private:
  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    auto& transfer = static_cast<SwapCommand&>(command);
    if (phase == tlm::END_REQ) {
      transfer.at.accepted = kernel_now() + delay.value();
      return tlm::TLM_ACCEPTED;
    }
    if (transfer.status == IoStatus::MediaError) ++media_errors_;
    timers_.schedule(transfer, kernel_now() + delay.value());
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  TimerQueue timers_;
  std::vector<std::unique_ptr<BlockInitiatorSocket>> sockets_;
  std::uint64_t media_errors_ = 0;
};

}  // namespace flashloom
