// Repeated power cuts of a drive on the instant clock under random requests: it is cut at random and adversarial
// instants, mounted, and verified completely.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "controllers/hardware/drive_faults.hpp"
#include "models/common/extremes.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/die_losses.hpp"
#include "sc_main/verify/zone_requests.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Counts of cuts, by what they struck, and of checks.
struct TortureCounts {
  /// Cuts by operation and origin of the flash command that was struck; `idle`: cuts between requests.
  std::array<std::array<std::uint64_t, kOrigins>, kFlashOperations> struck{};
  std::uint64_t idle = 0;
  std::uint64_t exhausted = 0;    ///< flushes on capacitors that ran out of energy
  std::uint64_t in_recovery = 0;  ///< cuts during a mount
  std::uint64_t cuts = 0;
  std::uint64_t mounts = 0;  ///< completed mounts
  std::uint64_t requests = 0;
  std::uint64_t sectors_checked = 0;
  std::uint64_t mount_reads = 0;
  Highest<std::uint64_t> most_mount_reads;
  std::uint64_t torn_pages = 0;    ///< found by mounts
  std::uint64_t log_pages = 0;     ///< read by mounts
  std::uint64_t read_only = 0;     ///< mounts of a device at the end of its life
  std::uint64_t read_retries = 0;  ///< with nand.errors
  std::uint64_t uncorrectable_reads = 0;
  std::uint64_t lost_units = 0;
  std::uint64_t scrub_moves = 0;
  std::uint64_t bad_blocks = 0;  ///< at the end
  std::uint64_t program_failures = 0;
  std::uint64_t erase_failures = 0;
  FaultStatistics faults;  ///< injected by [faults]
  /// Cuts that struck commands of an origin.
  std::uint64_t of(Origin origin) const {
    std::uint64_t sum = 0;
    for (const auto& operation : struck) sum += operation[static_cast<std::size_t>(origin)];
    return sum;
  }

  TortureCounts& operator+=(const TortureCounts& other);
};

/// Data was lost or the firmware failed: the information needed to reproduce it.
struct TortureFailure {
  std::uint64_t seed = 0;  ///< of the drive
  std::uint64_t cut = 0;   ///< cuts of the drive until then
  bool caught = false;     ///< data did not verify; else the firmware failed
  std::string what;
  std::string struck;               ///< what the last cut struck
  std::deque<std::string> history;  ///< the last requests and cuts
};

class DriveTorture {
 public:
  /// `seed` determines all random choices. `config` must be validated; verify is switched on.
  DriveTorture(DeviceConfig config, std::uint64_t seed);

  /// Cuts the power `cuts` more times, and verifies after each cut. False: see failure().
  bool run(std::uint64_t cuts);
  const TortureCounts& counts() const { return counts_; }
  const TortureFailure& failure() const { return failure_; }

 private:
  Request next_request();
  Request next_unplaced();
  CutFlash::Target next_target(bool mount);
  void fill();
  void live_until_cut();
  bool hold_up();
  Task<void> flush(bool& flushed, bool& refused);
  void mount();
  void verify();
  void count_errors();
  void note(const std::string& line);
  void note_struck(const std::string& where);
  void note_pointers(bool all_durable);
  static DeviceConfig with_verify(DeviceConfig config, std::uint64_t seed);

  std::uint64_t seed_;
  Random random_;
  InstantDevice device_;
  DieLosses losses_;
  SafePointers pointers_;  ///< of zones
  std::uint64_t capacity_;
  std::uint64_t sector_;
  std::uint64_t unit_;
  std::uint64_t operations_;  // flash commands before a random cut, at most
  TortureCounts counts_;
  TortureFailure failure_;
};

}  // namespace flashloom
