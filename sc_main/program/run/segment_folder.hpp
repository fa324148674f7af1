// The folder through which processes exchange the segments of a run: docs/explanation/sampling.md, "Segments as jobs".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/state/state_key.hpp"
#include "sc_main/program/run/instant_pass.hpp"
#include "sc_main/program/sample/segment_plan.hpp"

namespace flashloom {

/// Everything that a run's result depends on: program, device, workload, and the state from which it begins.
StateKeys identity_of_run(const RunOptions& options, const LoadedConfig& config, const Workload& workload);

/// Files are written whole or not at all, so an existing file is complete. All functions that read throw StateError for
/// a file that is damaged or belongs to a run other than that of segments.json.
class SegmentFolder {
 public:
  /// Makes no file. Throws StateError, which names the difference, if the folder belongs to another run. `segments`:
  /// number of segments of `run`.
  SegmentFolder(std::string path, StateKeys run, std::size_t segments);

  const std::string& path() const { return path_; }
  /// The plan; none before a pass has begun.
  const std::optional<SegmentPlan>& plan() const { return plan_; }
  /// Reads the plan if another process has written it.
  void refresh();
  /// Makes the folder. Throws UsageError.
  void make() const;
  /// The same, and writes segments.json with the plan and the identity of the run.
  void begin(const SegmentPlan& plan);

  /// The path of a segment's state. Segments count from 0, names of files from 1. Segment number `plan().segments()` is
  /// the end of the run, which has no answer.
  std::string state(std::size_t segment) const;
  bool has_state(std::size_t segment) const;
  bool has_answer(std::size_t segment) const;
  bool complete() const;  ///< every segment has an answer, and the state at the end exists

  /// Writes the position of the jobs at a segment's begin and, of traces, the segment's requests; before its state.
  void write_jobs(std::size_t segment, InstantPass& pass, const Workload& workload) const;
  /// Advances a pass with new jobs to a segment's begin.
  void read_jobs(std::size_t segment, InstantPass& pass) const;
  /// Advances a workload's jobs to a segment's begin; sources of traces are replaced by the saved requests.
  void read_jobs(std::size_t segment, Workload& workload) const;
  /// Writes an answer of simulate_window().
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
