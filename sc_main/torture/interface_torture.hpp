// Power cuts without end of one drive on the timed clock, behind its host interface: all queues and namespaces at once,
// every operation; cut at random instants, mounted, read as a whole, and on. One a process, as each simulation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_main/config/device_config.hpp"
#include "sc_main/system/simulation.hpp"
#include "sc_main/torture/die_losses.hpp"
#include "sc_main/torture/drive_torture.hpp"

namespace flashloom {

struct InterfaceTortureCounts {
  std::uint64_t cuts = 0;
  std::uint64_t in_mount = 0;  ///< of all, those that struck a mount
  std::uint64_t requests = 0;
  std::uint64_t lost = 0;  ///< requests that were in the device at a cut
  std::array<std::uint64_t, kPlainOperations> completed{};  ///< by operation: of drives without zones
  std::uint64_t sectors_checked = 0;
  OverlapCounts overlap;           ///< cache commands and suspensions
  std::uint64_t interrupts = 0;    ///< where completions are reported together: of `reported` ones
  std::uint64_t reported = 0;      ///< completions
  std::uint64_t read_retries = 0;  ///< with nand.errors
  std::uint64_t scrub_moves = 0;
  std::uint64_t folded_blocks = 0;  ///< of the SLC cache
  std::uint64_t bad_blocks = 0;     ///< at the end
  std::uint64_t program_failures = 0;
  std::uint64_t erase_failures = 0;
  FaultStatistics faults;           ///< of a drive that lies
};

class InterfaceTorture {
 public:
  /// Everything random comes from `seed`. `config` must be validated, without HDD and heap; verify is switched on.
  InterfaceTorture(DeviceConfig config, std::uint64_t seed);
  ~InterfaceTorture();

  /// Cuts the power `cuts` times, and reads all of the device after each. False: failure() tells.
  bool run(std::uint64_t cuts);
  InterfaceTortureCounts counts();
  const TortureFailure& failure() const { return failure_; }

 private:
  class Source;
  class History;

  DeviceConfig config_;
  Random random_;
  Simulation simulation_;
  DieLosses losses_;
  std::unique_ptr<History> history_;
  std::vector<Source*> sources_;  // the simulation has them
  std::uint64_t cuts_wanted_ = 0;
  InterfaceTortureCounts counts_;
  TortureFailure failure_;
};

}  // namespace flashloom
