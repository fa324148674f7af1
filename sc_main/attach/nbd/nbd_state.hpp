// The persistent state of a served drive: the folder of --state.
#pragma once

#include <optional>
#include <string>

#include "controllers/host/preconditioner.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/attach/nbd/nbd_journal.hpp"
#include "workloads/file_lock.hpp"

namespace flashloom {

/// DIR/device.state has the last saved state of the drive, DIR/journal the changes acknowledged since.
class NbdState {
 public:
  /// Makes and locks the folder. Throws WorkloadError if another process has locked it, and UsageError if it cannot be
  /// made.
  explicit NbdState(const std::string& folder);

  /// The file of the saved state; empty: the drive is new.
  std::string saved() const;
  /// Replays the journal on the instant clock, into a drive with the state of saved() or, if new, preconditioned. Saves
  /// a new drive. Returns a message for the user.
  std::string restore(Simulation& simulation, const DeviceConfig& config, PreconditionResult& result);
  NbdJournal& journal() { return journal_; }
  /// Saves the drive, which is quiescent, and empties the journal.
  void save(Simulation& simulation, const DeviceConfig& config, PreconditionResult& result);

 private:
  std::string folder_;
  std::string file_;
  FileLock lock_;
  NbdJournal journal_;
};

}  // namespace flashloom
