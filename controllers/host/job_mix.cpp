#include "controllers/host/job_mix.hpp"

namespace flashloom {

void JobMix::set_shares(const std::vector<double>& shares) {
  shares_ = shares;
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    due_[job] = static_cast<double>(all_) + (shares_[job] > 0 ? 1 / shares_[job] : 0);
}

// The one that is due first, the first one of several. One of no share is due at once: it goes on until it ends.
std::size_t JobMix::next_job() const {
  std::size_t chosen = jobs_.size();
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    if (ended_[job] == 0 && (chosen == jobs_.size() || due_[job] < due_[chosen])) chosen = job;
  return chosen;
}

// Those that come next of a job alone, together.
void JobMix::pass_reads() {
  constexpr auto kRead = static_cast<std::size_t>(RequestKind::Read);
  const std::uint64_t passed = jobs_.front().source->pass_reads(left_, bytes_[kRead]);
  left_ -= passed;
  all_ += passed;
  taken_.front() += passed;
  requests_[kRead] += passed;
}

bool JobMix::next(Request& request) {
  while (left_ != 0) {
    if (!with_reads_ && jobs_.size() == 1) {
      pass_reads();
      if (left_ == 0) return false;
    }
    const std::size_t job = next_job();
    if (job == jobs_.size()) return false;
    if (!jobs_[job].source->next(request)) {
      ended_[job] = 1;
      continue;
    }
    --left_;
    ++all_;
    ++taken_[job];
    arrival_ps_ = request.arrival_ps;
    const auto kind = static_cast<std::size_t>(request.kind);
    ++requests_[kind];
    bytes_[kind] += request.length;
    if (shares_[job] > 0) due_[job] += 1 / shares_[job];
    if (request.kind == RequestKind::Read && !with_reads_) continue;
    if (request.kind != RequestKind::Flush) request.offset += jobs_[job].offset;
    return true;
  }
  return false;
}

}  // namespace flashloom
