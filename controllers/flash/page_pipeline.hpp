// A latency of each page read between its channel and memory, without a limit of the rate.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <systemc>

#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Completes reads `latency` after their last data cycle; meanwhile die and channel are free. All pages take equally
/// long, so they leave in the order of arrival, and one timer serves all channels. (A later start of the memory's
/// reservation instead would make earlier accesses wait behind it.)
class PagePipeline final : private Timer {
 public:
  PagePipeline(const sc_core::sc_module_name& name, Picoseconds latency) : latency_(latency), timers_(name) {}

  /// The data of this read are out, now. Sets at.decoded; `completion` is called then.
  void pass(OnfiCommand& read) {
    read.at.decoded = read.at.complete + latency_;
    if (pages_.full()) [[unlikely]]
      pages_.set_capacity(2 * pages_.capacity() + 16);
    pages_.push_back(&read);
    if (pages_.size() == 1) timers_.schedule(*this, read.at.decoded);
  }
  /// Pages on their way.
  std::size_t size() const { return pages_.size(); }
  void power_cut() {
    pages_.clear();
    timers_.cancel_all();
  }

 private:
  void on_timer() override {
    const Picoseconds now = kernel_now();
    while (!pages_.empty() && pages_.front()->at.decoded <= now) {
      OnfiCommand& read = *pages_.front();
      pages_.pop_front();
      read.completion->on_flash_complete(read);
    }
    if (!pages_.empty()) timers_.schedule(*this, pages_.front()->at.decoded);
  }

  Picoseconds latency_;
  TimerQueue timers_;
  boost::circular_buffer<OnfiCommand*> pages_;
};

}  // namespace flashloom
