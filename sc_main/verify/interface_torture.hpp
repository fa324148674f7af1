// Repeated power cuts of one drive on the timed clock, behind its host interface, with all queues, namespaces and
// operations: it is cut at random instants, mounted, and read completely. One per process, like each simulation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/verify/die_losses.hpp"
#include "sc_main/verify/drive_torture.hpp"

namespace flashloom {

struct InterfaceTortureCounts {
  std::uint64_t cuts = 0;
  std::uint64_t in_mount = 0;  ///< cuts that struck a mount
  std::uint64_t requests = 0;
  std::uint64_t lost = 0;                                   ///< requests that were in the device at a cut
  std::array<std::uint64_t, kPlainOperations> completed{};  ///< by operation, without those for zones
  std::uint64_t sectors_checked = 0;
  OverlapCounts overlap;           ///< cache commands and suspensions
  std::uint64_t interrupts = 0;    ///< with interrupt coalescing: interrupts for `reported` completions
  std::uint64_t reported = 0;      ///< completions
  std::uint64_t read_retries = 0;  ///< with nand.errors
  std::uint64_t scrub_moves = 0;
  std::uint64_t folded_blocks = 0;  ///< of the SLC cache
  std::uint64_t bad_blocks = 0;     ///< at the end
  std::uint64_t program_failures = 0;
  std::uint64_t erase_failures = 0;
  FaultStatistics faults;  ///< injected by [faults]
};

class InterfaceTorture {
 public:
  /// `seed` determines all random choices. `config` must be validated, without HDD and heap; verify is switched on.
  InterfaceTorture(DeviceConfig config, std::uint64_t seed);
  ~InterfaceTorture();

  /// Cuts the power `cuts` times, and reads the whole device after each cut. False: see failure().
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
  std::vector<Source*> sources_;  // owned by the simulation
  std::uint64_t cuts_wanted_ = 0;
  InterfaceTortureCounts counts_;
  TortureFailure failure_;
};

}  // namespace flashloom
