// The pass that carries out a run's requests on the instant clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/host/foresight.hpp"
#include "controllers/host/job_mix.hpp"
#include "controllers/host/waiting_writes.hpp"
#include "sc_main/program/run/run_pass.hpp"
#include "sc_main/program/sample/backlog_estimate.hpp"
#include "sc_main/program/sample/memory_of_reads.hpp"

namespace flashloom {

class InstantPass final : public RunPass {
 public:
  /// See RunPass.
  InstantPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress);

  /// Requests so far, those included that were left out.
  std::uint64_t at() const override { return mix_.taken(); }
  /// Leaves out reads that change no state, or only state of caches that is lost again before the next window.
  void carry_out_to(std::uint64_t request) override;
  bool carry_out_to_window(std::uint64_t request) override;
  std::uint64_t stretch_before_window(std::uint64_t stratum) override;
  void end() override;
  KnownWork known() const override;
  void come_to_rest() override { host_.come_to_rest(); }
  /// Saves how many requests of each job were taken, or advances new jobs by as many. The device's state is separate.
  void state(StateArchive& archive);
  /// Saves or restores what decides which reads are left out.
  void learned(StateArchive& archive) { archive(memory_, leaves_out_reads_); }
  using RunPass::read_ahead;
  /// The requests that were read ahead of a job.
  const LookAhead& source(std::size_t job) const { return *sources_[job]; }
  /// Cached reads evict data that was dirty before the run. The flash takes longer to write it than the cache takes to
  /// warm up, whereas the instant clock writes it at once.
  bool warms_up() const override { return reads_leave_traces_ && first_requests().written == 0; }
  /// If reads are left out, each window costs a stretch in which the caches are refilled, so fewer windows are taken.
  std::uint64_t usual_windows() const override { return forgets_reads_ ? SamplePlan::kFew : RunPass::usual_windows(); }
  bool goes_by_shares() const override { return sources_.size() > 1; }
  void share_as_in(const WindowAnswer& answer) override;
  /// Learns how many writes wait for room in the buffer, if it absorbs some writes.
  void learn(const WindowAnswer& answer) override;
  double absorbs_unlike() const override { return writes_wait_ ? kAbsorbsUnlike : RunPass::absorbs_unlike(); }
  bool foresees() override;
  Preview preview(std::uint64_t requests) override;
  double behind() override;
  void set_pace(double seconds) override { pace_ = seconds; }
  double time_of(const KnownWork& known) const override;

 private:
  // Measured with Zipf-distributed writes: docs/adr/0072-writes-wait-on-the-instant-clock-too.md.
  static constexpr double kAbsorbsUnlike = 0.0022;

  double share_of(std::size_t job) const override {
    return mix_.share(job) != 0 ? mix_.share(job) : RunPass::share_of(job);
  }
  std::string simulate(const WindowShape& shape) override;
  void before_window() override;
  /// 0 if reads are left out: their work is unknown.
  double work_of(const FlashCommands& commands) const override {
    return forgets_reads_ ? 0 : RunPass::work_of(commands);
  }
  bool leaves_out(const Request& request) const override {
    return (!reads_leave_traces_ || forgets_reads_) && request.kind == RequestKind::Read;
  }
  void carry_out(std::uint64_t request, bool with_reads);
  bool carry_out_reads(std::uint64_t request);
  bool worth_forgetting(std::uint64_t distance) const;
  void learn_to_forget(std::uint64_t request);
  bool windows_are_read_ahead() const override { return reads_traces_ || open_loop(); }
  bool open_loop() const { return RunPass::open_loop(0); }
  double seconds_of(std::uint64_t arrival_ps) const;
  double write_time() const;
  double read_time(double bytes) const;
  void rest();
  void carry_out_open_loop(std::uint64_t requests);
  RequestSource& requests() { return writes_wait_ ? static_cast<RequestSource&>(waiting_) : foreseen_; }

  InstantHost host_;
  const bool reads_leave_traces_;
  JobMix mix_;
  Foresight foreseen_;     // over mix_
  WaitingWrites waiting_;  // over foreseen_
  MemoryOfReads memory_;
  bool forgets_reads_ = false;     // the run only reads, and reads change only caches
  bool leaves_out_reads_ = false;  // reads are left out except in a stretch before each window
  bool writes_wait_ = false;
  // Sums over the measured windows, closed loop.
  double written_ = 0;       // write requests
  double waited_ = 0;        // write requests, times the mean number of them in flight
  double units_ = 0;         // units written
  double absorbed_ = 0;      // units that hit dirty data in the buffer
  BacklogEstimate backlog_;  // open loop: of the requests carried out
  bool rested_ = false;      // idle time before the next request was used
  double pace_ = 1;
};

}  // namespace flashloom
