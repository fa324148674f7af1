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

namespace flashloom {

class InstantPass final : public RunPass {
 public:
  /// See RunPass.
  InstantPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress);

  /// Those included that nothing would remember and that were left out.
  std::uint64_t at() const override { return mix_.taken(); }
  void carry_out_to(std::uint64_t request) override;
  void end() override;
  KnownWork known() const override;
  void come_to_rest() override { host_.come_to_rest(); }
  /// Saves how far the jobs are, or brings new ones there; the device has a state of its own.
  void state(StateArchive& archive);
  using RunPass::read_ahead;
  /// What was read ahead of a job.
  const LookAhead& source(std::size_t job) const { return *sources_[job]; }
  /// Reads that a cache remembers drive out what was left dirty before the run. The flash is behind with it for longer
  /// than the cache takes to become warm, and on the instant clock it is written at once.
  bool warms_up() const override { return !leaves_out_reads_ && first_requests().written == 0; }
  bool goes_by_shares() const override { return true; }
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

  std::string simulate(const WindowShape& shape) override;
  void before_window() override;
  bool leaves_out(const Request& request) const override {
    return leaves_out_reads_ && request.kind == RequestKind::Read;
  }
  bool windows_are_read_ahead() const override { return reads_traces_ || open_loop(); }
  bool open_loop() const { return RunPass::open_loop(0); }
  double seconds_of(std::uint64_t arrival_ps) const;
  double write_time() const;
  double read_time(double bytes) const;
  void rest();
  void carry_out_open_loop(std::uint64_t requests);
  RequestSource& requests() { return writes_wait_ ? static_cast<RequestSource&>(waiting_) : foreseen_; }

  InstantHost host_;
  bool leaves_out_reads_;  // nothing would remember them
  JobMix mix_;
  Foresight foreseen_;     // the mix
  WaitingWrites waiting_;  // out of it
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
