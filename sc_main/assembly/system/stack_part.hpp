// What stands beside the drive in a simulation: a tier that makes it, or an array, the cache of a disk, the other drives of
// an array, or an object heap in the place of the host.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "controllers/host/host_statistics.hpp"
#include "controllers/host/oracle.hpp"
#include "models/energy/energy_report.hpp"
#include "policies/state_archive.hpp"
#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

struct BlockTransfer;

class ArraySystem;
class Hdd;
class HeapSystem;
class Simulation;
class TierController;

class StackPart {
 public:
  explicit StackPart(Ssd& ssd) : ssd_(ssd) {}
  StackPart(const StackPart&) = delete;
  StackPart& operator=(const StackPart&) = delete;
  virtual ~StackPart() = default;

  virtual TierController* tier() { return nullptr; }
  virtual const Hdd* hdd() const { return nullptr; }
  virtual ArraySystem* array() { return nullptr; }
  virtual HeapSystem* heap() { return nullptr; }

  /// The socket to which the host sends requests.
  virtual BlockTargetSocket& target(std::uint32_t queue) { return ssd_.socket(queue); }
  /// Capacity of the device that it makes.
  virtual std::uint64_t capacity_bytes() const { return ssd_.firmware().capacity_bytes(); }
  /// All SSDs.
  virtual std::vector<Ssd*> drives() { return {&ssd_}; }
  /// Granularity of trims in bytes: smaller parts are left unchanged; 0: trims have no effect.
  virtual std::uint32_t trim_bytes() const = 0;
  /// Whether writes of zeroes are to be sent as data.
  virtual bool zeroes_are_data() const { return true; }
  /// Whether reads may fail that the drive alone would have to answer.
  virtual bool reads_may_fail() const { return false; }
  /// Whether a power cut loses what a device other than the SSDs has acknowledged: a disk's write cache.
  virtual bool forgets() const { return false; }
  /// Changes what the oracle expects of a drive alone to what it may expect of this.
  virtual void shape(Oracle::Shape& shape) const = 0;
  /// Called once, with the oracle (null: none).
  virtual void meet(Oracle*) {}
  virtual void on_failure(std::function<void(std::exception_ptr)> handler) = 0;

  /// Drives other than the first, before a run: preconditions them, saves or loads them.
  virtual void precondition(const std::function<void(const char*, double)>&) {}
  virtual void state(StateArchive&) {}
  /// The timed clock begins.
  virtual void begin() {}
  /// Measuring begins.
  virtual void begin_window(Picoseconds at) = 0;
  virtual EnergyReport books() const { return ssd_.ledger().report(); }
  /// Reads back all data (Simulation::audit()); returns the number of sectors.
  virtual std::uint64_t audit(Simulation& simulation) = 0;
  /// For the audit of a tier whose cache it is: reads a range on the instant clock.
  virtual IoStatus peek(std::uint64_t /*offset*/, std::uint64_t /*length*/, SectorToken*) {
    return IoStatus::MediaError;
  }
  /// The same: throws std::runtime_error if copies or parity of what was peeked at do not agree.
  virtual void check_peeked() {}
  /// The same, for torture: the observer is told the number and name of each step of its software.
  virtual void on_step(std::function<void(std::size_t step, const char* name)>) {}
  /// Bytes that were written to the (first) drive.
  virtual std::uint64_t written_bytes() const = 0;
  /// Adds its parts to result.json, and returns its tables by file name.
  virtual void report(const DeviceConfig& config, nlohmann::ordered_json& result) = 0;
  virtual std::vector<std::pair<std::string, std::string>> tables() { return {}; }

  /// The power of the host fails, and is back when all devices have mounted.
  virtual void power_lost() {}
  virtual void power_back() {}
  /// Whether an orderly shutdown, stop(), may come before a power cut.
  virtual bool stops() const { return false; }
  virtual void stop(std::function<void()>) {}
  /// Its devices other than SSDs: their number; they lose power, and get it back.
  virtual std::uint32_t devices() const { return 0; }
  virtual void power_cut(Picoseconds /*off_time*/) {}
  virtual void power_on_devices(const std::function<void()>&) {}
  /// All devices serve: starts, then calls `ready`.
  virtual void power_on(std::function<void()> ready) { ready(); }

  /// Whether it replaces the host's driver. If so, it has jobs of its own:
  virtual bool replaces_host() const { return false; }
  /// Starts them; calls `measured` when the setup is over, `done` at their end.
  virtual void start(std::function<void()> /*measured*/, std::function<void()> /*done*/) {}
  virtual bool finished() const { return true; }
  virtual Picoseconds end() const { return 0; }
  virtual std::uint64_t media_errors() const { return 0; }
  virtual HostTotals totals() const { return {}; }
  virtual void on_progress(std::function<void(std::uint64_t)>) {}
  virtual void stop_jobs() {}

  /// For a tier on a hybrid clock: commands to the SSD are answered by the function, in its time; empty: by the SSD.
  virtual void answer_by(std::function<Picoseconds(BlockTransfer&)>) {}

 protected:
  Ssd& ssd_;
};

}  // namespace flashloom
