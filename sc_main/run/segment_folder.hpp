// The folder by which processes hand the segments of a run over: docs/sampling.md, "Segments as jobs".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/run/instant_pass.hpp"
#include "sc_main/run/workload.hpp"
#include "sc_main/sample/segment_plan.hpp"
#include "sc_main/state/state_key.hpp"

namespace flashloom {

/// All that the bytes of a run depend on: program, device, workload, and the state that it begins from.
StateKeys identity_of_run(const RunOptions& options, const LoadedConfig& config, const Workload& workload);

/// Files are written whole or not at all, so one that is there is right: it belongs to the run of segments.json. Of
/// what is damaged or another run's all throw StateError.
class SegmentFolder {
 public:
  /// Makes no file. A folder that is another run's is refused, with what differs. `segments`: of `run`.
  SegmentFolder(std::string path, StateKeys run, std::size_t segments);

  const std::string& path() const { return path_; }
  /// Once a pass has begun.
  const std::optional<SegmentPlan>& plan() const { return plan_; }
  /// Looks again.
  void refresh();
  /// Makes the folder. Throws UsageError.
  void make() const;
  /// The same, and says whose it is.
  void begin(const SegmentPlan& plan);

  /// Segments count from 0, names of files from 1. `plan().segments()`: the end of the run, which has no answer.
  std::string state(std::size_t segment) const;
  bool has_state(std::size_t segment) const;
  bool has_answer(std::size_t segment) const;
  bool complete() const;  ///< of every segment there is an answer, and the state at the end

  /// Where a pass is that has come to a segment's begin, and of traces the requests of it. Before the state.
  void write_jobs(std::size_t segment, InstantPass& pass, const Workload& workload) const;
  /// Brings a pass of jobs that nothing was taken of there.
  void read_jobs(std::size_t segment, InstantPass& pass) const;
  /// The same of the jobs of a segment: their sources go on, or are replaced by what was kept.
  void read_jobs(std::size_t segment, Workload& workload) const;
  /// What simulate_window() says.
  void write_answer(std::size_t segment, const std::string& answer) const;
  WindowAnswer read_answer(std::size_t segment) const;

 private:
  std::string file(std::size_t segment, const char* ending) const;
  void write_piece(const std::string& path, const std::string& bytes) const;
  std::string read_piece(const std::string& path) const;

  std::string path_;
  StateKeys run_;
  std::size_t segments_;
  std::optional<SegmentPlan> plan_;
};

}  // namespace flashloom
