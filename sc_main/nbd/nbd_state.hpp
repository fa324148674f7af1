// A drive that outlives its server: the folder of --state.
#pragma once

#include <optional>
#include <string>

#include "controllers/host/preconditioner.hpp"
#include "sc_main/nbd/nbd_journal.hpp"
#include "sc_main/state/device_state.hpp"
#include "sc_main/system/simulation.hpp"
#include "workloads/file_lock.hpp"

namespace flashloom {

/// DIR/device.state, what the drive was when it was saved last, and DIR/journal, what was acknowledged since.
class NbdState {
 public:
  /// Makes the folder. No other process gets it while this object is there: throws WorkloadError if one has it, and
  /// UsageError if it cannot be made.
  explicit NbdState(const std::string& folder);

  /// The file to begin from; empty: the drive is new.
  std::string saved() const;
  /// Brings the drive to what was acknowledged last, on the instant clock: it is as saved() or, new, preconditioned. A
  /// new one is saved. Says what it did, for people.
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
