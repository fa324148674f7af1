#include "models/common/time_loop.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {
namespace {

Picoseconds time_of_kernel() { return sc_core::sc_time_stamp().value(); }

}  // namespace

TimedProcess::TimedProcess() : loop_(TimeLoop::instance()) {}
TimedProcess::~TimedProcess() { loop_.forget(*this); }
void TimedProcess::notify_at(Picoseconds at) { loop_.notify(*this, at); }
void TimedProcess::cancel() { loop_.cancel(*this); }

TimeLoop& TimeLoop::instance() {
  // Never destroyed: the kernel outlives static objects as well.
  static TimeLoop& loop = *new TimeLoop("time_loop");
  return loop;
}

TimeLoop::TimeLoop(const sc_core::sc_module_name& name) : sc_core::sc_module(name), event_("next"), queue_(room_) {
  SC_HAS_PROCESS(TimeLoop);
  SC_METHOD(wake);
  sensitive << event_;
  dont_initialize();
}

void TimeLoop::run() {
  limit_ = kNever;
  sc_core::sc_start();
  limit_ = 0;
  follow_kernel();
}

void TimeLoop::run_for(Picoseconds time) {
  const Picoseconds end = kernel_now() + time;
  limit_ = end;
  sc_core::sc_start(kernel_time(end - time_of_kernel()), sc_core::SC_RUN_TO_TIME);
  limit_ = 0;
  follow_kernel();
}

// Switches back to the kernel's clock once that has reached the model's time.
void TimeLoop::follow_kernel() {
  if (time_of_kernel() >= model_clock->value()) model_clock = &sc_core::sc_time_stamp();
}

void TimeLoop::pause() {
  instance().paused_ = true;
  sc_core::sc_pause();
}

bool TimeLoop::quiet() {
  drop_cancelled();
  return running_.size() <= 1 && runnable_.empty() && delta_.empty() &&
         (queued_ == 0 || queue_.front().at != kernel_now());
}

Picoseconds TimeLoop::next() {
  if (!runnable_.empty() || !delta_.empty()) return kernel_now();
  drop_cancelled();
  return queued_ == 0 ? kNever : queue_.front().at;
}

[[gnu::cold, gnu::noinline]] void TimeLoop::lengthen_queue() { queue_.resize(room_ *= 2); }

[[gnu::always_inline]] inline void TimeLoop::insert(const Entry& entry) {
  if (queued_ == room_) [[unlikely]]
    lengthen_queue();
  Entry* const heap = queue_.data() - 1;  // 1-based
  std::size_t i = ++queued_;
  for (; i > 1 && heap[i / 2].at > entry.at; i /= 2) heap[i] = heap[i / 2];
  heap[i] = entry;
}

void TimeLoop::notify(TimedProcess& process, Picoseconds at) {
  if (process.pending_ == TimedProcess::Pending::Delta) return;
  if (at == kernel_now()) [[unlikely]]
    return notify_now(process);
  if (process.pending_ == TimedProcess::Pending::Timed && process.at_ <= at) return;
  process.pending_ = TimedProcess::Pending::Timed;
  process.at_ = at;
  process.entry_ = ++entries_;
  insert({at, process.entry_, &process});
  if (!waking_) ask_kernel();
}

[[gnu::noinline]] void TimeLoop::notify_now(TimedProcess& process) {
  process.entry_ = 0;
  process.pending_ = TimedProcess::Pending::Delta;
  delta_.push_back(&process);
  if (!waking_) ask_kernel();
}

void TimeLoop::cancel(TimedProcess& process) {
  if (process.pending_ == TimedProcess::Pending::None) return;
  if (process.pending_ == TimedProcess::Pending::Delta) {
    *std::find(delta_.begin(), delta_.end(), &process) = delta_.back();
    delta_.pop_back();
  }
  process.entry_ = 0;
  process.pending_ = TimedProcess::Pending::None;
  if (!waking_) ask_kernel();
}

void TimeLoop::forget(TimedProcess& process) {
  for (std::size_t i = 0; i < queued_; ++i)
    if (queue_[i].process == &process) queue_[i].process = nullptr;
  std::erase(delta_, &process);
  std::erase(runnable_, &process);
  std::ranges::replace(running_, &process, nullptr);
  if (!waking_ && sc_core::sc_get_status() < sc_core::SC_STOPPED) ask_kernel();
}

[[gnu::always_inline]] inline TimeLoop::Entry TimeLoop::take_first() {
  Entry* const heap = queue_.data() - 1;
  const Entry first = heap[1];
  const Entry last = heap[queued_];
  const std::size_t size = --queued_;
  std::size_t i = 1;
  for (;;) {
    const std::size_t left = 2 * i;
    if (left > size) break;
    std::size_t least = i;
    Picoseconds at = last.at;
    if (heap[left].at < at) {
      least = left;
      at = heap[left].at;
    }
    if (left < size && heap[left + 1].at < at) least = left + 1;
    if (least == i) break;
    heap[i] = heap[least];
    i = least;
  }
  if (size != 0) heap[i] = last;
  return first;
}

[[gnu::always_inline]] inline void TimeLoop::drop_cancelled() {
  while (queued_ != 0 && !queue_.front().holds()) [[unlikely]] take_first();
}

void TimeLoop::trigger(TimedProcess& process) {
  process.entry_ = 0;
  process.pending_ = TimedProcess::Pending::None;
  if (std::exchange(process.runnable_, true)) return;
  runnable_.push_back(&process);
}

void TimeLoop::trigger_due(Picoseconds now) {
  while (queued_ != 0 && queue_.front().at <= now) {
    const Entry entry = take_first();
    if (entry.holds()) trigger(*entry.process);
  }
}

// From the last to the first, like the kernel.
void TimeLoop::trigger_delta() {
  for (std::size_t i = delta_.size(); i-- != 0;) trigger(*delta_[i]);
  delta_.clear();
}

void TimeLoop::evaluate() {
  ++cycles_;
  running_.swap(runnable_);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (running_[i] == nullptr) continue;  // destroyed by a process that ran before
    running_[i]->runnable_ = false;
    running_[i]->wake();
  }
  running_.clear();
}

// After an evaluation, continues until nothing is runnable at this time; false: returns to the kernel.
bool TimeLoop::finish_time() {
  for (;;) {
    trigger_delta();
    if (limit_ == 0 || paused_) return false;
    if (runnable_.empty()) return true;
    evaluate();
  }
}

void TimeLoop::run_ahead() {
  ahead_ = *model_clock;
  model_clock = &ahead_;
  for (;;) {
    drop_cancelled();
    if (queued_ == 0 || queue_.front().at >= limit_) return;
    const Entry entry = take_first();
    ahead_ = kernel_time(entry.at);
    if (queued_ == 0 || queue_.front().at != entry.at) [[likely]] {  // nothing else is due
      entry.process->entry_ = 0;
      entry.process->pending_ = TimedProcess::Pending::None;
      ++cycles_;
      entry.process->wake();
    } else {
      trigger(*entry.process);
      trigger_due(entry.at);
      evaluate();
    }
    if ((!delta_.empty() || paused_) && !finish_time()) return;
  }
}

void TimeLoop::wake() {
  struct Waking {
    TimeLoop& loop;
    explicit Waking(TimeLoop& l) : loop(l) { loop.waking_ = true; }
    ~Waking() { loop.waking_ = false; }
  };
  asked_ = kNever;
  paused_ = false;
  follow_kernel();
  {
    const Waking waking(*this);
    if (runnable_.empty()) {
      if (delta_.empty())
        trigger_due(kernel_now());
      else
        trigger_delta();
    }
    if (!runnable_.empty()) {
      evaluate();
      if (finish_time()) run_ahead();
    }
    if (runnable_.empty() && !paused_) drop_cancelled();
  }
  ask_kernel();
}

// Like in the kernel, cancelled entries stay until their time is reached: they affect the order of others.
void TimeLoop::ask_kernel() {
  Picoseconds next = kNever;
  if (!runnable_.empty() || !delta_.empty()) {
    next = kernel_now();
  } else {
    for (std::size_t i = 0; i < queued_; ++i)
      if (queue_[i].holds()) next = std::min(next, queue_[i].at);
  }
  if (next == asked_) return;
  if (asked_ != kNever) event_.cancel();
  asked_ = next;
  if (next != kNever) event_.notify(kernel_time(next - time_of_kernel()));
}

}  // namespace flashloom
