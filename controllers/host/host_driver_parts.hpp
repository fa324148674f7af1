// What the files of the host's driver share: its jobs and the requests in flight.
#pragma once

#include <algorithm>

#include "controllers/host/host_driver.hpp"
#include "models/common/cache_line.hpp"

namespace flashloom {

// A pooled command: in flight or free.
struct alignas(kCacheLine) HostDriver::Io final : SentCommand {
  static constexpr std::size_t kFrame = 9 * kCacheLine;  // what a frame of slot() uses

  HostDriver* driver = nullptr;
  std::coroutine_handle<> waiter{};
  bool measured = true;
  bool looked_at = false;  // by the job's JobBytes
  Request request;
  std::vector<SectorToken> contents;
  std::vector<RequestRange> request_ranges;  // of it; as the job counts
  std::vector<IoRange> placed_ranges;        // on the device
  ZoneTurns::Ticket turn;
  ZoneTurns::Ticket after;  // in another zone, before this one's

  void foresee() const override { prefetch_lines(waiter.address(), kFrame); }
  void on_timer() override {
    at.complete = kernel_now();
    driver->runtime_.wake(waiter);
  }
};

// The thread that submits and completes the requests of a job on one queue, one at a time, in order of arrival. Work
// arrives at the current time only, so its end is known at once and needs no event.
class HostThread {
 public:
  /// When it begins work that arrives now.
  Picoseconds begin() const { return std::max(free_, kernel_now()); }
  /// Gives it work that takes `cost`; returns the end.
  Picoseconds work(Picoseconds cost) { return free_ = begin() + cost; }

 private:
  Picoseconds free_ = 0;
};

struct HostDriver::Job {
  std::uint32_t number = 0;
  HostJob job;
  HostStatistics statistics;
  Picoseconds begin = 0;
  std::uint64_t ramp_left = 0;  // bytes to transfer before its requests are measured
  // Open loop.
  struct Waiting {
    Request request;
    Picoseconds arrival;
  };
  boost::circular_buffer<Waiting> backlog;
  WaitList backlog_space;
  std::uint32_t slots = 0;          // coroutines that send its requests
  std::uint32_t turn = 0;           // of its queues
  std::vector<HostThread> threads;  // by its queues; none if they take no time
  std::uint32_t parts = 0;          // the slots, and for an open loop its arrivals
  bool exhausted = false;
  bool stopped = false;  // by the end of another job
  // Pacing: while the gate is closed no slot takes a request.
  bool closed = false;
  WaitList gate;
  std::uint32_t in_flight = 0;
  WaitList drained;
  Flow* flow = nullptr;
  std::uint64_t flow_requests = 0;

  HostThread& thread_of(const IoCommand& io) { return threads[io.queue - job.queue]; }
  const HostThread& thread_of(const IoCommand& io) const { return threads[io.queue - job.queue]; }
};

// Requests of jobs that keep to a proportion (fio's flow.c).
struct HostDriver::Flow {
  std::uint32_t number = 0;
  std::uint64_t requests = 1;  // of the running jobs; begins at 1, as in fio, so that some job may always send
  std::uint64_t weights = 0;
  WaitList changed;
};

struct HostDriver::Submission {
  HostDriver& driver;
  Io& io;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const {
    io.waiter = waiter;
    driver.send(io);
  }
  void await_resume() const noexcept {}
};

}  // namespace flashloom
