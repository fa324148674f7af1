#include "models/common/timer_queue.hpp"

#include <algorithm>
#include <string>

namespace flashloom {

TimerQueue::TimerQueue(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
    SC_REPORT_FATAL("flashloom/timer", "the kernel's time resolution must be 1 ps");
  }
  heap_.reserve(1024);
}

void TimerQueue::schedule(Timer& timer, Picoseconds at) {
  if (at < kernel_now()) [[unlikely]]
    refuse(at);
  heap_.push_back({at, order_++, &timer});
  sift_up(heap_.size() - 1);
  if (!waking_ && at < notified_) notify();
}

void TimerQueue::refuse(Picoseconds at) {
  const std::string text = "scheduled for " + std::to_string(at) + " ps, which is past";
  SC_REPORT_FATAL("flashloom/timer", text.c_str());
}

void TimerQueue::cancel_all() {
  heap_.clear();
  cancel();
  notified_ = kNever;
}

void TimerQueue::wake() {
  ++wakes_;
  notified_ = kNever;
  waking_ = true;
  const Picoseconds now = kernel_now();
  while (!heap_.empty() && heap_.front().at <= now) pop().timer->on_timer();
  waking_ = false;
  if (!heap_.empty()) notify();
}

void TimerQueue::notify() {
  notified_ = heap_.front().at;
  notify_at(notified_);
}

void TimerQueue::sift_up(std::size_t i) {
  const Entry entry = heap_[i];
  while (i > 0) {
    const std::size_t parent = (i - 1) / 4;
    if (!entry.before(heap_[parent])) break;
    heap_[i] = heap_[parent];
    i = parent;
  }
  heap_[i] = entry;
}

TimerQueue::Entry TimerQueue::pop() {
  const Entry top = heap_.front();
  const Entry last = heap_.back();
  heap_.pop_back();
  const std::size_t size = heap_.size();
  if (size == 0) return top;
  std::size_t i = 0;
  for (;;) {
    const std::size_t first = 4 * i + 1;
    if (first >= size) break;
    const Entry* least = &heap_[first];
    const Entry* const end = heap_.data() + std::min(first + 4, size);
    for (const Entry* child = least + 1; child < end; ++child) least = child->before(*least) ? child : least;
    if (!least->before(last)) break;
    heap_[i] = *least;
    i = static_cast<std::size_t>(least - heap_.data());
  }
  heap_[i] = last;
  return top;
}

}  // namespace flashloom
