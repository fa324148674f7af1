// A whole experiment: host, SSD, a tier of SSD and HDD or an array of SSDs, supply and, with verify, the oracle. A
// process can have one simulation (SystemC).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "controllers/host/instant_host.hpp"
#include "controllers/host/oracle.hpp"
#include "controllers/host/page_cache.hpp"
#include "controllers/host/payload_store.hpp"
#include "controllers/host/preconditioner.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/ssd.hpp"
#include "sc_main/assembly/system/stack_part.hpp"

namespace flashloom {

/// A run has failed: requests were lost, data did not verify, or the firmware violated a rule of the flash (see
/// what()).
class SimulationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One power cut of a run, and the mount after it.
struct PowerCut {
  Picoseconds at = 0;            ///< the supply fails
  Picoseconds off_at = 0;        ///< the device is without power: later with capacitors
  double capacitor_j = 0;        ///< drawn between the two
  bool exhausted = false;        ///< the capacitors gave out before the buffer was on flash
  bool in_mount = false;         ///< it struck the mount after the previous cut
  std::uint64_t units_lost = 0;  ///< mapping units of the buffer that were not on flash
  bool mounted = false;          ///< false: the next cut struck the mount
  Picoseconds mount_time = 0;    ///< from power-on until the device serves
  MountReport mount;
};

/// Capacity that the host sees: that of the SSD, or of the tier whose cache it is.
std::uint64_t host_capacity_bytes(const DeviceConfig& config);

class Simulation {
 public:
  /// Parts of a simulation that the configuration does not give.
  struct Parts {
    Ssd::MemorySocket* foreign_dram = nullptr;  ///< see Ssd
    bool foreign_modules = false;               ///< other modules with SystemC processes will be in the model
    bool bytes = false;  ///< keep the bytes of front ends' commands, and of jobs that have any; needs config.verify
    std::uint64_t bytes_memory = PayloadStore::kUsualMemory;  ///< see PayloadStore::Shape
    /// Keep the version of data in the spare area even if no power cut is configured; needed to save a state for runs
    /// with cuts, and to show what pages hold.
    bool keep_versions = true;
  };
  /// Builds everything. `config` must be validated and outlive this.
  explicit Simulation(const DeviceConfig& config) : Simulation(config, Parts{}) {}
  Simulation(const DeviceConfig& config, const Parts& parts);
  ~Simulation();

  Ssd& ssd() { return ssd_; }
  HostDriver& host() { return host_; }
  const Oracle* oracle() const { return oracle_.get(); }
  Oracle* oracle() { return oracle_.get(); }
  /// The bytes that the host wrote; null if none are kept.
  PayloadStore* payloads() { return payloads_.get(); }
  /// The host's page cache; null if there is none.
  const PageCache* page_cache() const { return page_cache_.get(); }
  /// What stands beside the SSD; null: nothing.
  StackPart* part() const { return part_.get(); }
  /// The HDD, and the tier that makes the SSD its cache; null if there is none.
  const Hdd* hdd() const { return part_ == nullptr ? nullptr : part_->hdd(); }
  TierController* tier() { return part_ == nullptr ? nullptr : part_->tier(); }
  const TierController* tier() const { return part_ == nullptr ? nullptr : part_->tier(); }
  /// The array whose drive 0 the SSD is; null if there is none.
  ArraySystem* array() { return part_ == nullptr ? nullptr : part_->array(); }
  /// The object heap and its processes, which replace the host's driver; null if there is none.
  HeapSystem* heap() { return part_ == nullptr ? nullptr : part_->heap(); }
  /// All SSDs, beginning with ssd().
  const std::vector<Ssd*>& drives() const { return drives_; }
  /// Closes the energy ledger, once, at the end of the run. Returns its report.
  EnergyReport close_books();
  /// The report again, after close_books().
  EnergyReport books() const;
  /// Capacity that the host sees.
  std::uint64_t capacity_bytes() const { return capacity_; }

  /// Preconditions the device on the instant clock, before run(). Calls `on_done` before it resets the statistics.
  PreconditionResult precondition(const std::function<void(const char* step, double share)>& progress = {},
                                  const std::function<void()>& on_done = {});
  /// Saves the state after precondition(), its result included, or loads it in place of precondition().
  void state(StateArchive& archive, PreconditionResult& result);
  /// Carries out requests to the SSD one by one on the instant clock: before run(), or after quiesce(). With a tier,
  /// the oracle is not told of them.
  InstantHost instant_host();

  /// For tests: the next power cut comes at `at` (kNever: not at all) instead of the time in [power]; `orderly`: after
  /// the tier has stopped.
  void cut_power_at(Picoseconds at, bool orderly = false);
  /// Called when the jobs have begun; modules with SystemC processes may have run before. Each of these four functions
  /// adds a handler; handlers are called in the order of their addition.
  void on_started(std::function<void()> handler) { on_started_.push_back(std::move(handler)); }
  /// Called when the power is cut, before any component loses it.
  void on_power_lost(std::function<void()> handler) { on_power_lost_.push_back(std::move(handler)); }
  /// Called when the power has come back after a cut, and when all devices have mounted.
  void on_power_back(std::function<void()> handler) { on_power_back_.push_back(std::move(handler)); }
  void on_mounted(std::function<void()> handler) { on_mounted_.push_back(std::move(handler)); }

  /// Ends run(), which throws `failure`; for parts that the simulation does not own.
  void note_failure(std::exception_ptr failure);
  /// Calls `handler`, which may throw, instead of ending run(); for programs that run the kernel themselves.
  void on_failure(std::function<void(std::exception_ptr)> handler) { on_failure_ = std::move(handler); }

  /// Simulates until the jobs are done. Throws SimulationFailure unless every request completed and no read failed.
  /// Exceptions of a workload or of the firmware are thrown on unchanged.
  void run(std::vector<HostJob> jobs);
  /// The parts of run(), for several simulations in one kernel: all of them start(), one of them proceeds until the
  /// time loop is paused, all of them finish(). `done` is called when the jobs have ended.
  void start(std::vector<HostJob> jobs, std::function<void()> done);
  void proceed();
  void finish();
  /// Begins to measure the device and job number `job`, which has no source (a front end's).
  void measure_front(std::uint32_t job);
  /// Like the other run(), for the jobs of a part that replaces the host.
  void run_part();
  /// Tells the SSD's compressor how well the data of jobs compress. Needed only before jobs are carried out by
  /// instant_host().
  void tell_savings(const std::vector<HostJob>& jobs);
  /// In place of run(), for a window of a longer run whose earlier requests the instant clock has carried out:
  /// simulates until end_window(). Requests may then be in flight, so afterwards only the results may be read.
  void run_window(std::vector<HostJob> jobs);
  /// A hybrid run of a tier, in place of run(): all but the SSD is on the timed clock, the SSD on the instant clock.
  struct Hybrid {
    std::function<Picoseconds(const BlockTransfer&)> takes;  ///< returns the service time of a command to the SSD
    std::function<void()> ramps_over;  ///< called before the statistics of tier and HDD are reset after the ramps
  };
  /// Starts a hybrid run; proceed() continues it until the time loop is paused, or the jobs have ended.
  void start_hybrid(std::vector<HostJob> jobs, Hybrid hybrid);
  /// Between two calls of proceed(): from now on the SSD is on the timed clock, too. Commands that it has received
  /// before still complete after their time by `takes`.
  void go_on_timed();
  /// After go_on_timed(): simulates until end_window(), like the other run_window().
  void run_window();
  /// To be called by an observer of the host: measuring begins now, with requests in flight.
  void begin_window();
  /// The same: measuring ends now, and with it run_window().
  void end_window();
  /// In place of run(): takes over the statistics of jobs that were measured elsewhere; the device measured nothing.
  void adopt(std::vector<HostJob> jobs, const std::vector<HostStatistics>& statistics);
  /// In place of run(): carries out the jobs' requests one by one on the instant clock, job after job. There is no
  /// time, so host() has no figures; `progress` is told the requests done now and then.
  void run_untimed(std::vector<HostJob> jobs, const std::function<void(std::uint64_t)>& progress = {});
  /// To be called by a handler of on_progress() of host or heap: ends the jobs, and with them the run. run_untimed()
  /// stops by itself when it is interrupted.
  void stop();
  /// Whether the jobs were ended early, by stop() or an interruption.
  bool stopped() const { return stopped_; }
  /// Requests that the host has completed since the window began.
  HostTotals totals_in_window() const {
    if (replaces_host()) return part_->totals();
    return untimed_ ? untimed_->done : host_.totals() - window_.host;
  }
  /// The host's measurements; after run_untimed() only the numbers of failed requests.
  HostStatistics host_statistics() const;
  bool timed() const { return !untimed_; }
  /// Flash operations of run() since the window began, or of run_untimed().
  const FlashCounters& flash_counters() { return timed() ? ssd_.flash().counters() : ssd_.instant_flash().counters(); }
  /// Writes back the page cache, lets the device finish its work (destage, GC), then returns to the instant clock.
  void quiesce();
  /// Reads back everything that was ever written, on the instant clock, and checks it; with a heap reads all its
  /// objects, on the timed clock. Needs verify, and quiesce() before. Returns the number of sectors read.
  std::uint64_t audit();
  /// For an audit by a part: counts sectors as lost; throws SimulationFailure if no read may fail.
  void note_unreadable(std::uint64_t sectors) { unreadable_sectors_ += sectors; }
  void require_readable(std::uint64_t media_errors) const;
  /// Sectors that the audit found lost to bit errors: their reads return media errors, never data.
  std::uint64_t unreadable_sectors() const { return unreadable_sectors_; }

  /// The begin of measuring: 0, or the end of the last ramp of a job. Flash, FTL, buffer, memories, energy and
  /// utilization count from then.
  struct Window {
    Picoseconds begin = 0;
    HostTotals host;  ///< requests completed before
    std::vector<BusTime> channels;
    std::vector<DieActivity> dies;
    std::vector<double> core_busy;  ///< ps
  };
  const Window& window() const { return window_; }
  /// Time of the host's last completion, or of a front end's end, or of the end of quiesce().
  Picoseconds end() const { return end_; }
  const std::vector<PowerCut>& power_cuts() const { return cuts_; }
  /// Sum of the times of all completed mounts.
  Picoseconds recovery_time() const { return recovery_time_; }

 private:
  class Supply;
  using Handlers = std::vector<std::function<void()>>;
  static void call(const Handlers& handlers) {
    for (const std::function<void()>& handler : handlers) handler();
  }
  BlockTargetSocket& target(std::uint32_t queue);
  /// Whether all jobs are done.
  bool finished() const { return replaces_host() ? part_->finished() : host_.finished(); }
  bool replaces_host() const { return part_ != nullptr && part_->replaces_host(); }
  std::uint32_t trim_bytes() const { return part_ == nullptr ? config_.ftl.mapping_unit : part_->trim_bytes(); }
  Oracle::Shape oracle_shape() const;
  template <class F>
  void each_drive(F&& f) {
    for (Ssd* const drive : drives_) f(*drive);
  }
  void begin_run();
  void end_run();
  void start_kernel();
  void begin_window(Picoseconds at);
  void take_utilization(Picoseconds at);
  void audit_units(InstantHost& host, std::uint64_t offset, std::uint64_t length);

  const DeviceConfig& config_;
  bool fronted_ = false;  // a front end replaces the workload
  bool alone_;            // the model has no foreign module
  Ssd ssd_;
  std::unique_ptr<StackPart> part_;
  std::vector<Ssd*> drives_;
  std::uint64_t capacity_;
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<PayloadStore> payloads_;
  HostDriver host_;
  std::unique_ptr<PageCache> page_cache_;
  std::unique_ptr<Supply> supply_;
  std::exception_ptr failure_;
  std::function<void(std::exception_ptr)> on_failure_;
  struct Untimed {
    HostTotals done;
    std::uint64_t media_errors = 0;
    std::uint64_t write_protected = 0;
  };
  std::optional<Untimed> untimed_;  // set by run_untimed()
  Picoseconds end_ = 0;
  Window window_;
  std::vector<PowerCut> cuts_;
  Handlers on_started_;
  Handlers on_power_lost_;
  Handlers on_power_back_;
  Handlers on_mounted_;
  Picoseconds recovery_time_ = 0;
  std::uint64_t unreadable_sectors_ = 0;
  bool stopped_ = false;
  bool adopted_ = false;  // adopt() was called; the device is quiescent, on the instant clock
};

}  // namespace flashloom
