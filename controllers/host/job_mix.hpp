// The requests of several concurrent jobs as one stream of device addresses, for the instant clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "policies/state_archive.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Jobs take turns so that each gets its share of the requests; one that has ended leaves its share to the others. With
/// shares of zero they come one after the other. (Jobs of a closed loop have no times to be ordered by.)
class JobMix final : public RequestSource {
 public:
  /// The jobs, whose sources it takes requests from, outlive it.
  explicit JobMix(std::vector<HostJob>& jobs)
      : jobs_(jobs), taken_(jobs.size()), due_(jobs.size()), shares_(jobs.size()) {}

  /// Requests of each job over those of all, from now on.
  void set_shares(const std::vector<double>& shares);
  double share(std::size_t job) const { return shares_[job]; }
  /// Whether next() skips reads, because they would not change any state.
  void leave_out_reads(bool out) { with_reads_ = !out; }
  /// Allows `requests` more requests; then next() returns false until the next call.
  void allow(std::uint64_t requests) { left_ = requests; }
  bool next(Request& request) override;

  /// Given out so far: in all, and of a job.
  std::uint64_t taken() const { return all_; }
  std::uint64_t taken(std::size_t job) const { return taken_[job]; }
  /// Arrival of the last request, of jobs with arrival times.
  std::uint64_t arrival_ps() const { return arrival_ps_; }
  /// Counts and bytes of reads and writes.
  std::uint64_t reads() const { return requests_[static_cast<std::size_t>(RequestKind::Read)]; }
  std::uint64_t bytes_read() const { return bytes_[static_cast<std::size_t>(RequestKind::Read)]; }
  std::uint64_t bytes_written() const { return bytes_[static_cast<std::size_t>(RequestKind::Write)]; }

  /// Saves or loads its position; the sources of the loading mix must have given out taken(job) requests each.
  void state(StateArchive& archive) { archive(taken_, due_, shares_, ended_, all_, arrival_ps_, requests_, bytes_); }

 private:
  std::size_t next_job(const std::vector<double>& due) const;
  void advance(std::vector<double>& due, std::size_t job) const { due[job] += shares_[job] > 0 ? 1 / shares_[job] : 0; }
  void pass_reads();
  void pass_reads_of_several();
  void plan(std::uint64_t requests);
  double all_due_before(std::uint64_t requests) const;
  std::uint64_t pass_reads_of(std::size_t job, std::uint64_t most);
  void count(std::size_t job, RequestKind kind, std::uint64_t requests = 1);
  void take_turn(std::size_t job, RequestKind kind);

  std::vector<HostJob>& jobs_;
  std::vector<std::uint64_t> taken_;
  std::vector<double> due_;  // in requests of all jobs: when the next one of each is
  std::vector<double> shares_;
  std::vector<std::uint8_t> ended_ = std::vector<std::uint8_t>(jobs_.size());  // or not
  bool with_reads_ = true;
  std::uint64_t left_ = 0;
  // Of the next requests, in which jobs take turns as planned: how many, and the reads of each job that its source has
  // passed over.
  std::uint64_t planned_ = 0;
  std::vector<std::uint64_t> passed_ = std::vector<std::uint64_t>(jobs_.size());
  std::vector<double> due_then_;      // as due_, behind what is planned
  std::vector<std::uint64_t> turns_;  // of each job in it
  std::uint64_t all_ = 0;
  std::uint64_t arrival_ps_ = 0;
  // By RequestKind.
  std::array<std::uint64_t, kRequestKinds> requests_{};
  std::array<std::uint64_t, kRequestKinds> bytes_{};
};

}  // namespace flashloom
