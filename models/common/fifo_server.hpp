// An exact first-come-first-served server without an event of its own.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "models/common/types.hpp"

namespace flashloom {

/// Ignores a server's busy intervals.
struct IgnoreBusy {
  void operator()(Picoseconds /*start*/, Picoseconds /*end*/, std::uint32_t /*tag*/) const {}
};

/// Serves jobs one at a time in order of arrival, ties in order of announcement. A job whose arrival lies in the future
/// is pending; a job announced later with an earlier arrival goes before it and delays the predicted ends of pending
/// jobs. The server commits a job, fixing its start, once its arrival is past, and then forgets it. So a caller
/// announces, waits until `job.end`, and asks `finished(job, now)`; false means that `job.end` has moved to a later
/// time, for which the caller must wait again.
///
/// The server reports each committed job's service to `OnBusy(start, end, tag)`, in time order, at the latest when it
/// is next used: call settle() at the end of a run. `now` must never decrease from call to call.
template <class OnBusy = IgnoreBusy>
class FifoServer {
 public:
  /// Owned by the caller; must live, at a fixed address, until it is finished or dropped.
  struct Job {
    Picoseconds arrival = 0;
    Picoseconds duration = 0;
    Picoseconds end = 0;  ///< predicted end; kNever once dropped
    Job* next = nullptr;
    std::uint32_t tag = 0;     ///< identifies the job to OnBusy
    std::uint32_t server = 0;  ///< for the caller: which of several servers has it
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

  /// Whether `job` has ended by `now`; if so, the server no longer refers to it.
  bool finished(const Job& job, Picoseconds now) {
    if (job.end > now) return false;
    settle(now);
    return true;
  }

  /// Commits the jobs that have arrived by `now`.
  void settle(Picoseconds now) {
    if (head_ != nullptr && head_->arrival <= now) commit(now);
  }

  /// Power cut: drops pending jobs (their end becomes kNever), aborts the one in service, and frees the server. The
  /// caller must cut the service already reported to OnBusy (EnergyMeter::truncate).
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
  /// When all announced jobs are done, as far as is known.
  Picoseconds done_at() const { return tail_ != nullptr ? tail_->end : free_; }
  /// Service time of the committed jobs.
  Picoseconds busy_time() const { return busy_; }
  bool has_pending() const { return head_ != nullptr; }

 private:
  // Precondition: the first pending job has arrived.
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

  /// Recomputes the predicted ends of `job` and of those behind it; the server becomes free for `job` at `free`.
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
