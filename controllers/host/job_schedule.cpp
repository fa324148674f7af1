#include "controllers/host/job_schedule.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

std::uint32_t JobSchedule::add(std::string name, Picoseconds start_delay, JobRules rules, std::string report) {
  if (report.empty()) report = name;
  jobs_.push_back({std::move(name), start_delay, std::move(rules), std::move(report)});
  return static_cast<std::uint32_t>(jobs_.size() - 1);
}

bool JobSchedule::waits_for_another(const Job& job) const {
  return !job.rules.wait_for.empty() && std::any_of(jobs_.begin(), jobs_.end(), [&job](const Job& other) {
    return &other != &job && other.name == job.rules.wait_for && other.state != State::Ended;
  });
}

// The instant from which `after` allows the job to begin; kNever: not known yet.
Picoseconds JobSchedule::pause_over(const Job& job) const {
  Picoseconds end = 0;
  for (const Job& other : jobs_) {
    if (other.report != job.rules.after) continue;
    if (other.state != State::Ended) return kNever;
    end = std::max(end, other.ended_at);
  }
  return end + job.rules.pause;
}

Picoseconds JobSchedule::next_pause_over(Picoseconds since_begin) const {
  Picoseconds next = kNever;
  for (const Job& job : jobs_) {
    if (job.state != State::Waiting || job.rules.after.empty()) continue;
    if (const Picoseconds over = pause_over(job); over > since_begin) next = std::min(next, over);
  }
  return next;
}

std::optional<std::uint32_t> JobSchedule::next(Picoseconds since_begin) {
  for (Job& job : jobs_) {
    if (job.state != State::Waiting || job.start_delay > since_begin) continue;
    if (job.rules.stonewall && running_ != 0) return std::nullopt;
    if (waits_for_another(job)) continue;
    if (!job.rules.after.empty() && pause_over(job) > since_begin) continue;
    job.state = State::Running;
    ++running_;
    return static_cast<std::uint32_t>(&job - jobs_.data());
  }
  return std::nullopt;
}

std::vector<std::uint32_t> JobSchedule::ended(std::uint32_t number, Picoseconds since_begin) {
  using Ends = JobRules::Ends;
  Job& job = jobs_[number];
  job.state = State::Ended;
  job.ended_at = since_begin;
  --running_;
  std::vector<std::uint32_t> stopped;
  if (job.rules.ends == Ends::Nothing) return stopped;
  for (Job& other : jobs_) {
    const bool meant = job.rules.ends == Ends::All ||
                       (job.rules.ends == Ends::Group && other.rules.group == job.rules.group) ||
                       (job.rules.ends == Ends::Running && other.state == State::Running);
    if (!meant || other.state == State::Ended) continue;
    if (other.state == State::Waiting) {
      other.state = State::Ended;
      other.ended_at = since_begin;
    }
    stopped.push_back(static_cast<std::uint32_t>(&other - jobs_.data()));
  }
  return stopped;
}

std::vector<std::uint32_t> JobSchedule::end_all(Picoseconds since_begin) {
  std::vector<std::uint32_t> stopped;
  for (Job& job : jobs_) {
    if (job.state == State::Ended) continue;
    if (job.state == State::Waiting) {
      job.state = State::Ended;
      job.ended_at = since_begin;
    }
    stopped.push_back(static_cast<std::uint32_t>(&job - jobs_.data()));
  }
  return stopped;
}

}  // namespace flashloom
