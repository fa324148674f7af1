#include "sc_main/program/run/end_state.hpp"

#include <unistd.h>

#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "workloads/output_path.hpp"

namespace flashloom {

void check_end_state(const RunOptions& options, const DeviceConfig& config) {
  if (options.save_state.empty()) return;
  if (config.faults.any()) throw UsageError("--save-state: faults: a saved state does not hold how many have struck");
  if (options.json && OutputPath::of(options.save_state).descriptor == STDOUT_FILENO)
    throw UsageError("--save-state: the standard output is that of --json");
}

EndState::EndState(const RunOptions& options, const DeviceConfig& config) : path_(options.save_state) {
  if (path_.empty()) return;
  StateHeader header = header_of(config);
  if (!options.state.empty()) header.seed = read_state_header(options.state).seed;
  writer_ = std::make_unique<StateWriter>(path_, header);
}

void EndState::take(Simulation& simulation, PreconditionResult precondition) {
  if (writer_ == nullptr) return;
  if (simulation.stopped()) {
    writer_ = nullptr;
    note_ = "  state  not saved: the run was interrupted\n";
    return;
  }
  simulation.instant_host().come_to_rest();
  simulation.state(*writer_, precondition);
  writer_->complete();
  note_ = "  state  " + path_ + " saved, " + std::to_string(writer_->size()) + " bytes\n";
}

void EndState::commit() {
  if (writer_ != nullptr) writer_->commit();
}

}  // namespace flashloom
