// The instant clock carries a run's requests out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/host/foresight.hpp"
#include "controllers/host/job_mix.hpp"
#include "controllers/host/waiting_writes.hpp"
#include "sc_main/run/run_pass.hpp"
#include "sc_main/sample/backlog_estimate.hpp"
#include "sc_main/sample/memory_of_reads.hpp"

namespace flashloom {

class InstantPass final : public RunPass {
 public:
  /// See RunPass.
  InstantPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress);

  /// Those included that were left out.
  std::uint64_t at() const override { return mix_.taken(); }
  /// Leaves out reads that nothing remembers, or caches alone, and not for long enough to matter.
  void carry_out_to(std::uint64_t request) override;
  bool carry_out_to_window(std::uint64_t request) override;
  std::uint64_t stretch_before_window(std::uint64_t stratum) override;
  void end() override;
  KnownWork known() const override;
  void come_to_rest() override { host_.come_to_rest(); }
  /// Saves how far the jobs are, or brings new ones there; the device has a state of its own.
  void state(StateArchive& archive);
  /// The same of what it goes by when it leaves reads out.
  void learned(StateArchive& archive) { archive(memory_, leaves_out_reads_); }
  using RunPass::read_ahead;
  /// What was read ahead of a job.
  const LookAhead& source(std::size_t job) const { return *sources_[job]; }
  /// Reads that a cache remembers drive out what was left dirty before the run. The flash is behind with it for longer
  /// than the cache takes to become warm, and on the instant clock it is written at once.
  bool warms_up() const override { return reads_leave_traces_ && first_requests().written == 0; }
  /// Each one takes a stretch in which caches are filled anew.
  std::uint64_t usual_windows() const override { return forgets_reads_ ? SamplePlan::kFew : RunPass::usual_windows(); }
  bool goes_by_shares() const override { return sources_.size() > 1; }
  void share_as_in(const WindowAnswer& answer) override;
  /// How many writes wait for room in the buffer, where it absorbs some.
  void learn(const WindowAnswer& answer) override;
  double absorbs_unlike() const override { return writes_wait_ ? kAbsorbsUnlike : RunPass::absorbs_unlike(); }
  bool foresees() override;
  Preview preview(std::uint64_t requests) override;
  double behind() override;
  void set_pace(double seconds) override { pace_ = seconds; }
  double time_of(const KnownWork& known) const override;

 private:
  // Measured of writes by Zipf's law: docs/adr/0072-writes-wait-on-the-instant-clock-too.md.
  static constexpr double kAbsorbsUnlike = 0.0022;

  double share_of(std::size_t job) const override {
    return mix_.share(job) != 0 ? mix_.share(job) : RunPass::share_of(job);
  }
  std::string simulate(const WindowShape& shape) override;
  void before_window() override;
  /// Where reads are forgotten, nobody knows what those that are left out would have been.
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
  Foresight foreseen_;     // the mix
  WaitingWrites waiting_;  // out of it
  MemoryOfReads memory_;
  bool forgets_reads_ = false;     // the run does nothing but read, and caches alone remember it
  bool leaves_out_reads_ = false;  // which it forgets: windows need what was read in a stretch before them
  bool writes_wait_ = false;
  // Of what was measured, closed loop.
  double written_ = 0;  // requests
  double waited_ = 0;   // the same, times how many are under way
  double units_ = 0;    // that they write
  double absorbed_ = 0;
  BacklogEstimate backlog_;  // open loop: of what was carried out
  bool rested_ = false;      // before the next request
  double pace_ = 1;
};

}  // namespace flashloom
