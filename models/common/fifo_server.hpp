// An exact first-come-first-served server without an event of its own.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "models/common/types.hpp"

namespace flashloom {

/// Ignores the intervals that a server was busy.
struct IgnoreBusy {
  void operator()(Picoseconds /*start*/, Picoseconds /*end*/, std::uint32_t /*tag*/) const {}
};

/// Serves jobs one at a time in the order of their arrivals, ties in the order of their announcements. An arrival may
/// lie in the future: such a job is pending, and one that is announced later with an earlier arrival goes before it,
/// which moves the predicted end of the pending ones. A job is committed, its start fixed, once its arrival is past;
/// the server then forgets it. So a caller announces, waits until `job.end`, and asks `finished(job, now)`: no means
/// that the end has moved to a later `job.end`, to wait for again.
///
/// `OnBusy(start, end, tag)` hears of each committed job's service, in time order, at the latest when the server is
/// next used: call settle() at the end of a run. Calls must have a `now` that never falls.
template <class OnBusy = IgnoreBusy>
class FifoServer {
 public:
  /// Owned by the caller; must live, and stay where it is, until it is finished or dropped.
  struct Job {
    Picoseconds arrival = 0;
    Picoseconds duration = 0;
    Picoseconds end = 0;  ///< predicted end; kNever once dropped
    Job* next = nullptr;
    std::uint32_t tag = 0;     ///< what it is, for OnBusy
    std::uint32_t server = 0;  ///< the caller's: which of several servers has it
  };

  explicit FifoServer(OnBusy on_busy = {}) : on_busy_(std::move(on_busy)) {}

  /// Queues `job` (arrival, arrival >= now, and duration set); returns its predicted end.
  Picoseconds announce(Job& job, Picoseconds now) {
    assert(job.arrival >= now);
    settle(now);
    job.next = nullptr;
    if (job.arrival == now) return job.end = serve_now(now, job.duration, job.tag);
    if (tail_ == nullptr) {
      head_ = tail_ = &job;
      return job.end = std::max(job.arrival, free_) + job.duration;
    }
    if (tail_->arrival <= job.arrival) {  // the common order
      job.end = std::max(job.arrival, tail_->end) + job.duration;
      tail_->next = &job;
      tail_ = &job;
      return job.end;
    }
    Job** link = &head_;
    Picoseconds free = free_;
    while ((*link)->arrival <= job.arrival) {
      free = (*link)->end;
      link = &(*link)->next;
    }
    job.next = *link;
    *link = &job;
    job.end = std::max(job.arrival, free) + job.duration;
    predict(job.next, job.end);
    return job.end;
  }

  /// A job of `duration` that arrives now; returns its end, which is final.
  Picoseconds reserve(Picoseconds now, Picoseconds duration, std::uint32_t tag = 0) {
    settle(now);
    return serve_now(now, duration, tag);
  }

  /// Whether `job` has ended by `now`; if so, the server knows it no more.
  bool finished(const Job& job, Picoseconds now) {
    if (job.end > now) return false;
    settle(now);
    return true;
  }

  /// Commits the jobs that have arrived by `now`.
  void settle(Picoseconds now) {
    if (head_ != nullptr && head_->arrival <= now) commit(now);
  }

  /// Power cut: pending jobs are dropped (their end becomes kNever), what is served is broken off, and the server is
  /// free. The service that OnBusy heard of is for the caller to cut (EnergyMeter::truncate).
  void drop_all(Picoseconds now) {
    settle(now);
    while (head_ != nullptr) {
      Job* job = std::exchange(head_, head_->next);
      job->next = nullptr;
      job->end = kNever;
    }
    tail_ = nullptr;
    if (free_ > now) busy_ -= free_ - now;
    free_ = std::min(free_, now);
  }

  /// When the committed jobs are done.
  Picoseconds free_at() const { return free_; }
  /// Service time of the committed jobs.
  Picoseconds busy_time() const { return busy_; }
  bool has_pending() const { return head_ != nullptr; }

 private:
  // The first one has arrived.
  void commit(Picoseconds now) {
    do {
      Job* const job = head_;
      head_ = job->next;
      if (head_ == nullptr) tail_ = nullptr;
      job->next = nullptr;
      serve(job->arrival, job->duration, job->tag);
      assert(job->end == free_);
    } while (head_ != nullptr && head_->arrival <= now);
  }

  void serve(Picoseconds arrival, Picoseconds duration, std::uint32_t tag) {
    const Picoseconds start = std::max(arrival, free_);
    free_ = start + duration;
    busy_ += duration;
    on_busy_(start, free_, tag);
  }

  Picoseconds serve_now(Picoseconds now, Picoseconds duration, std::uint32_t tag) {
    serve(now, duration, tag);
    if (head_ != nullptr) predict(head_, free_);
    return free_;
  }

  /// Recomputes the ends of `job` and those behind it, the server being free for it at `free`.
  static void predict(Job* job, Picoseconds free) {
    for (; job != nullptr; job = job->next) {
      free = std::max(job->arrival, free) + job->duration;
      if (job->end == free) return;  // those behind it stay as they are
      job->end = free;
    }
  }

  Job* head_ = nullptr;  // pending, by arrival
  Job* tail_ = nullptr;
  Picoseconds free_ = 0;
  Picoseconds busy_ = 0;
  [[no_unique_address]] OnBusy on_busy_;
};

}  // namespace flashloom
