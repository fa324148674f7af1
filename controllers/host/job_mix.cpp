#include "controllers/host/job_mix.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace flashloom {

void JobMix::set_shares(const std::vector<double>& shares) {
  assert(planned_ == 0);
  shares_ = shares;
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    due_[job] = static_cast<double>(all_) + (shares_[job] > 0 ? 1 / shares_[job] : 0);
}

// The job that is due first; of several, the one with the lowest number. A job without a share is always due, until it
// ends.
std::size_t JobMix::next_job(const std::vector<double>& due) const {
  std::size_t chosen = jobs_.size();
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    if (ended_[job] == 0 && (chosen == jobs_.size() || due[job] < due[chosen])) chosen = job;
  return chosen;
}

void JobMix::count(std::size_t job, RequestKind kind, std::uint64_t requests) {
  left_ -= requests;
  all_ += requests;
  taken_[job] += requests;
  requests_[static_cast<std::size_t>(kind)] += requests;
}

// Passes over the next reads together, if a single job is left.
void JobMix::pass_reads() {
  if (jobs_.size() != 1) return pass_reads_of_several();
  count(0, RequestKind::Read, pass_reads_of(0, left_));
}

std::uint64_t JobMix::pass_reads_of(std::size_t job, std::uint64_t most) {
  return jobs_[job].source->pass_reads(most, bytes_[static_cast<std::size_t>(RequestKind::Read)]);
}

// Turns of the jobs in so many requests, of whom one is left at least. The order within them is left open.
void JobMix::plan(std::uint64_t requests) {
  due_then_ = due_;
  turns_.assign(jobs_.size(), 0);
  std::uint64_t planned = 0;
  const double before = all_due_before(requests);
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    for (; ended_[job] == 0 && due_then_[job] < before; ++planned) {
      ++turns_[job];
      advance(due_then_, job);
    }
  for (; planned < requests; ++planned) {
    const std::size_t job = next_job(due_then_);
    ++turns_[job];
    advance(due_then_, job);
  }
}

// An instant, in requests of all jobs, before which no more than so many turns come: each job has one more at most than
// its share of the time from its next turn on. Jobs that are not due by then are left out of it.
double JobMix::all_due_before(std::uint64_t requests) const {
  double latest = std::numeric_limits<double>::infinity();
  for (;;) {
    double turns = static_cast<double>(requests) - static_cast<double>(jobs_.size());
    double shares = 0;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (ended_[job] != 0 || due_[job] >= latest) continue;
      if (shares_[job] == 0) return 0;  // it goes on, once it is due
      turns += due_[job] * shares_[job];
      shares += shares_[job];
    }
    const double before = shares == 0 ? 0 : turns / shares;
    if (before >= latest || shares == 0) return std::min(before, latest);
    latest = before;
  }
}

// The order of the next turns is known before their requests are drawn. If a job cannot pass over reads for all its
// turns, these are taken one by one; if it ends, the others get its turns, and their passed-over reads are used up
// first.
void JobMix::pass_reads_of_several() {
  constexpr std::uint64_t kMost = 1024;
  if (planned_ != 0 || next_job(due_) == jobs_.size()) return;
  const std::uint64_t requests = std::min(left_, kMost);
  plan(requests);
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    if (turns_[job] != 0) passed_[job] = pass_reads_of(job, turns_[job]);
  if (passed_ != turns_) {
    planned_ = requests;
    return;
  }
  std::fill(passed_.begin(), passed_.end(), 0);
  due_.swap(due_then_);
  for (std::size_t job = 0; job < jobs_.size(); ++job) count(job, RequestKind::Read, turns_[job]);
}

void JobMix::take_turn(std::size_t job, RequestKind kind) {
  count(job, kind);
  if (planned_ != 0) --planned_;
  advance(due_, job);
}

bool JobMix::next(Request& request) {
  while (left_ != 0) {
    if (!with_reads_) {
      pass_reads();
      if (left_ == 0) return false;
    }
    const std::size_t job = next_job(due_);
    if (job == jobs_.size()) break;
    if (passed_[job] != 0) {
      --passed_[job];
      take_turn(job, RequestKind::Read);
      continue;
    }
    if (!jobs_[job].source->next(request)) {
      ended_[job] = 1;
      continue;
    }
    arrival_ps_ = request.arrival_ps;
    take_turn(job, request.kind);
    bytes_[static_cast<std::size_t>(request.kind)] += request.length;
    if (request.kind == RequestKind::Read && !with_reads_) continue;
    if (request.kind != RequestKind::Flush) request.offset += jobs_[job].offset;
    return true;
  }
  planned_ = 0;  // the jobs have ended
  return false;
}

}  // namespace flashloom
