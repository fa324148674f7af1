// Which jobs of a run may begin, and which end others: fio's stonewall, wait_for, startdelay and exitall, and the
// workload files' after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

struct JobRules {
  enum class Ends : std::uint8_t { Nothing, Group, Running, All };
  bool stonewall = false;  ///< begins when no job runs any more
  std::string wait_for{};  ///< begins when no job of this name waits or runs; empty: at once
  std::string after{};     ///< begins a pause after all jobs reported under this name have ended; empty: does not wait
  Picoseconds pause = 0;
  std::uint32_t group = 0;
  Ends ends = Ends::Nothing;  ///< which other jobs its end ends
};

/// Decides as fio's main loop does (3.33, backend.c, run_threads): jobs begin in order; a job that is delayed or waits
/// for another one lets those after it pass, a stonewall does not.
class JobSchedule {
 public:
  /// `report`: the name that it is reported under, where that is another one.
  std::uint32_t add(std::string name, Picoseconds start_delay, JobRules rules, std::string report = {});

  /// The next job to begin now, which then runs; none: nothing can begin before a job ends or a delay is over.
  std::optional<std::uint32_t> next(Picoseconds since_begin);
  /// A running job has ended. Returns the jobs that end with it: running ones must be stopped, waiting ones never
  /// begin.
  std::vector<std::uint32_t> ended(std::uint32_t number, Picoseconds since_begin);
  /// The same when all jobs are ended early.
  std::vector<std::uint32_t> end_all(Picoseconds since_begin);
  /// When the next pause is over, for which next() may have a job then; kNever: none is under way.
  Picoseconds next_pause_over(Picoseconds since_begin) const;
  bool running(std::uint32_t number) const { return jobs_[number].state == State::Running; }

 private:
  enum class State : std::uint8_t { Waiting, Running, Ended };
  struct Job {
    std::string name;
    Picoseconds start_delay;  // since the begin of the run
    JobRules rules;
    std::string report;
    State state = State::Waiting;
    Picoseconds ended_at = 0;
  };

  bool waits_for_another(const Job& job) const;
  Picoseconds pause_over(const Job& job) const;

  std::vector<Job> jobs_;
  std::uint32_t running_ = 0;
};

}  // namespace flashloom
