// The state that a run on the instant clock leaves: --save-state.
#pragma once

#include <memory>
#include <string>

#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/run_options.hpp"

namespace flashloom {

/// To be called before anything is written. Throws UsageError for what no state can be saved of.
void check_end_state(const RunOptions& options, const DeviceConfig& config);

/// Without --save-state its functions do nothing.
class EndState {
 public:
  /// To be made before the work, so that a bad path costs nothing. Throws StateError.
  EndState(const RunOptions& options, const DeviceConfig& config);

  /// To be called after the run, before its results are made, which then count all erases that had to come to an end,
  /// and before the audit, whose reads change the device. An interrupted run leaves no state.
  void take(Simulation& simulation, PreconditionResult precondition);
  /// The file appears.
  void commit();
  /// A line for the summary, after take().
  const std::string& note() const { return note_; }
  /// Whether the file is the standard output of this process.
  bool to_stdout() const { return writer_ != nullptr && writer_->to_stdout(); }

 private:
  std::string path_;
  std::unique_ptr<StateWriter> writer_;
  std::string note_;
};

}  // namespace flashloom
