// The host's driver: sends the requests of its jobs to a block device and measures. Closed loop (a fio job: a constant
// number in flight) or open loop (a timed trace: each request at its arrival time, however slow the device is).
#pragma once

#include <boost/circular_buffer.hpp>
#include <coroutine>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "controllers/host/front_command.hpp"
#include "controllers/host/host_config.hpp"
#include "controllers/host/host_observer.hpp"
#include "controllers/host/host_statistics.hpp"
#include "controllers/host/job_schedule.hpp"
#include "controllers/host/oracle.hpp"
#include "controllers/host/payload_store.hpp"
#include "controllers/host/to_command.hpp"
#include "controllers/host/zone_turns.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"
#include "workloads/objects/object_source.hpp"
#include "workloads/paced_source.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Supplies the bytes of a job's writes and receives those of its reads.
class JobBytes {
 public:
  /// A command is submitted: fills `into` with the bytes of a write. False: the bytes of this command are not used.
  virtual bool begin(const IoCommand& command, std::byte* into) = 0;
  /// A read whose begin() returned true has succeeded.
  virtual void read(const IoCommand& read, const std::byte* bytes) = 0;

 protected:
  ~JobBytes() = default;
};

struct HostJob {
  std::string name;
  std::string group;  ///< jobs of one group are reported as one, under this name; empty: reported by itself
  std::unique_ptr<RequestSource> source;    ///< null: a front end submits the job's commands, and ends the job
  std::unique_ptr<ObjectSource> objects{};  ///< the same requests as operations on objects, for a heap; null: none
  std::uint32_t iodepth = 1;                ///< closed loop: requests in flight
  std::uint32_t queue = 0;                  ///< submission queue
  std::uint32_t queues = 1;                 ///< its requests go round robin to this many queues, from `queue` on
  std::uint64_t offset = 0;                 ///< bytes: begin of the region on the device that its addresses count from
  std::uint8_t stream = 0;                  ///< of its requests (IoCommand::stream)
  std::optional<double> saved{};            ///< share of its data that compression saves; none: compression.saved
  std::uint32_t name_space = 0;             ///< of its requests (IoCommand::name_space)
  Picoseconds start_delay = 0;      ///< least time from the run's begin to the job's; other times count from the latter
  Picoseconds runtime = 0;          ///< no request is sent after it; 0 = no limit
  Picoseconds ramp_time = 0;        ///< requests that arrive before it has passed are not measured
  std::uint64_t ramp_bytes = 0;     ///< the same, until the jobs of the group have transferred so many bytes
  bool open_loop = false;           ///< requests are sent by arrival times
  Picoseconds arrived_before = 0;   ///< open loop: arrivals count from this long before its begin (a backlog)
  PacedSource* pacing = nullptr;    ///< closed loop: part of `source` that says when a request may go; null: at once
  JobBytes* bytes = nullptr;        ///< of its requests; outlives the job; needs a driver with payloads; null: not used
  JobRules rules{};                 ///< which jobs its begin waits for, and which ones its end stops
  bool accounts = false;            ///< its requests say what the application wrote; else that equals what they write
  std::uint32_t flow_weight = 0;    ///< closed loop: share of the requests of its flow; 0: no flow
  std::uint32_t flow = 0;           ///< number of the flow
  Picoseconds flow_sleep = 0;       ///< how long a job that is ahead of its share waits; 0: until it no longer is
  bool ends_at_zone_error = false;  ///< sends nothing more after a request that broke the rules of zones
};

/// Bytes that the application wrote with a successful write of the job; 0 for other requests.
inline std::uint64_t application_bytes(const HostJob& job, const Request& request) {
  if (request.kind != RequestKind::Write) return 0;
  return job.accounts ? request.application_bytes : request.length;
}

class HostDriver : public sc_core::sc_module, private BlockBackward {
 public:
  /// `oracle` (may be null) checks the tokens, one for each `sector_bytes`. `payloads` (may be null) keeps the bytes of
  /// front ends' commands and of jobs with JobBytes; it needs the oracle, which gives the tokens.
  HostDriver(const sc_core::sc_module_name& name, const HostConfig& config, std::uint32_t sector_bytes,
             std::uint32_t in_flight_limit, Oracle* oracle, PayloadStore* payloads = nullptr);
  ~HostDriver() override;

  BlockInitiatorSocket& socket(std::uint32_t queue) { return *sockets_[queue]; }
  std::uint32_t queues() const { return static_cast<std::uint32_t>(sockets_.size()); }

  /// Begins the jobs, each at its time (JobRules); `done` is called when the last request has completed.
  void start(std::vector<HostJob> jobs, std::function<void()> done);
  /// Sends a command of job `job`, which has no source, on queue command.queue, with arrival now. It is not charged the
  /// driver's latencies, since the front end's host has its own.
  void submit(std::uint32_t job, FrontCommand& command);
  /// Begins to measure the job of a front end now; commands sent before are not measured.
  void measure_front(std::uint32_t job);
  /// Begins to measure all jobs now: everything that completes from now on, including requests in flight. For a window
  /// within a longer run.
  void measure_window();
  /// Ends it: statistics() and totals() stay as they are, whatever else happens at this instant. A window's requests
  /// are those that have completed in it, so that windows behind each other count each request once.
  void end_window();
  /// In place of start(): takes jobs with their statistics, which were measured elsewhere.
  void adopt(std::vector<HostJob> jobs, const std::vector<HostStatistics>& statistics);
  /// Replaces the statistics of the jobs that start() began.
  void adopt(const std::vector<HostStatistics>& statistics);
  /// The job's front end will send no more commands: the job ends with the last one in flight.
  void end_front(std::uint32_t job);
  /// The target does not support Write Zeroes: writes data instead, as Linux does (blkdev_issue_zeroout).
  void write_zeroes_as_data() { writes_zeroes_ = false; }
  /// The target has zones of `zone_bytes`: sends the writes of a zone one at a time, in order (ZoneTurns). Call before
  /// start().
  void order_zones(std::uint64_t zone_bytes) { zone_turns_.emplace(zone_bytes); }
  /// Tells `observer` of requests. Called before start().
  void attach(HostObserver& observer) { observers_.push_back(&observer); }
  /// Called when the ramps of all jobs are over, if the run lasts that long: measuring of the device begins.
  void on_ramps_over(std::function<void()> ramps_over) { ramps_over_ = std::move(ramps_over); }
  /// Called from time to time with the number of completed requests.
  void on_progress(std::function<void(std::uint64_t)> progress) { progress_ = std::move(progress); }

  /// May be called by a handler of on_progress(): ends all jobs as at the end of their runtime, after the requests in
  /// flight and, in an open loop, those that have arrived.
  void stop();

  /// Called with what a request source threw, in place of throwing it into the kernel.
  void on_failure(std::function<void(std::exception_ptr)> handler) { runtime_.on_failure(std::move(handler)); }

  /// The device lost power (its commands in flight complete with power_lost): nothing is sent until power_back().
  void power_lost() { powered_ = false; }
  void power_back();

  /// Jobs in the order in which start() was given them.
  std::uint32_t jobs() const;
  const HostJob& job(std::uint32_t number) const;
  const HostStatistics& statistics(std::uint32_t number) const;
  /// Of all jobs together.
  HostStatistics statistics() const;
  const HostTotals& totals() const { return totals_; }
  /// The ramp of some job is not over.
  bool ramping() const { return ramps_ != 0; }
  bool finished() const { return active_ == 0; }

 private:
  struct Io;
  struct Job;
  struct Flow;
  struct Submission;

  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void begin_ready();
  Task<void> begin_later(Picoseconds at);
  void begin(Job& job);
  void end_slot(Job& job);
  void stop(const std::vector<std::uint32_t>& numbers);
  void end(Job& job);
  bool over(const Job& job) const;
  bool thread_runs_out(const Job& job, const Io& io) const;
  Picoseconds submitted_at(Job& job, Io& io) const;
  bool ahead_of_flow(Job& job);
  static void open_gate(Job& job);
  void ramp_over();
  void shorten_ramp(const Job& job, std::uint64_t bytes);
  void end_ramp(Job& job);
  Task<void> ramp(Picoseconds end);
  Task<void> slot(Job& job);
  Task<void> arrivals(Job& job);
  void open_slot(Job& job);
  bool take(Job& job, Io& io, bool went_on);
  void take_turns(const Job& job, Io& io);
  void prepare(Job& job, Io& io, const Request& request, Picoseconds arrival);
  static void place_ranges(const Job& job, Io& io, const Request& request);
  void note_submission(Job& job, IoCommand& io, bool measured, Picoseconds in_driver);
  void send(SentCommand& command);
  friend class FrontCommand;
  void completed(FrontCommand& command);
  void keep_appended(FrontCommand& command);
  void record(Job& job, const IoCommand& io, bool measured);
  void put_bytes(Job& job, Io& io);
  void get_bytes(Job& job, Io& io);
  Io& take_io();
  void end_job();

  HostConfig config_;
  Picoseconds in_driver_;  // from the begin of a submission to the device, if its thread is free
  bool threads_;           // the work of host threads takes time
  std::uint32_t sector_bytes_;
  std::uint32_t in_flight_limit_;
  Oracle* oracle_;
  PayloadStore* payloads_;
  std::vector<FrontCommand*> appends_;  // zone appends of front ends in flight that carry bytes
  Runtime runtime_;
  TimerQueue timers_;
  std::vector<std::unique_ptr<BlockInitiatorSocket>> sockets_;
  std::deque<Job> jobs_;
  JobSchedule schedule_;
  Picoseconds begin_ = 0;
  Picoseconds pause_over_ = 0;  // end of the next pause between jobs, for which a timer is set
  std::deque<Flow> flows_;
  std::deque<Io> ios_;
  std::vector<Io*> free_ios_;
  std::uint64_t numbers_ = 0;  // last number given to a request
  std::uint32_t active_ = 0;   // jobs that have not ended
  bool powered_ = true;
  bool writes_zeroes_ = true;
  bool accounts_ = false;  // some job has HostJob::accounts
  std::optional<ZoneTurns> zone_turns_;
  WaitList power_;
  std::function<void()> done_;
  std::function<void(std::uint64_t)> progress_;
  std::function<void()> ramps_over_;
  std::vector<HostObserver*> observers_;
  std::uint32_t ramps_ = 0;  // jobs whose ramp is not over
  std::uint64_t completions_ = 0;
  bool window_ended_ = false;
  HostTotals totals_;
  std::vector<std::byte> bytes_;  // of one request of a job
};

}  // namespace flashloom
