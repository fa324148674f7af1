// A whole experiment: host, SSD, a tier of SSD and HDD or an array of SSDs, supply and, with verify, the oracle. One
// simulation a process (SystemC).
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
#include "controllers/tier/tier_controller.hpp"
#include "models/hdd/hdd.hpp"
#include "sc_main/config/device_config.hpp"
#include "sc_main/system/array_system.hpp"
#include "sc_main/system/heap_system.hpp"
#include "sc_main/system/ssd.hpp"

namespace flashloom {

/// The run is wrong: requests were lost, data did not verify, the firmware broke a rule of the flash. what() tells.
class SimulationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One power cut of a run, and the mount behind it.
struct PowerCut {
  Picoseconds at = 0;            ///< the supply fails
  Picoseconds off_at = 0;        ///< the device is without power: later with capacitors
  double capacitor_j = 0;        ///< drawn between the two
  bool exhausted = false;        ///< the capacitors gave out before the buffer was on flash
  bool in_mount = false;         ///< it struck the mount of the cut before
  std::uint64_t units_lost = 0;  ///< mapping units of the buffer that were not on flash
  bool mounted = false;          ///< else the next cut struck the mount
  Picoseconds mount_time = 0;    ///< from power-on until the device serves
  MountReport mount;
};

/// What the host sees: of the SSD, or of the tier that it is the cache of.
std::uint64_t host_capacity_bytes(const DeviceConfig& config);

class Simulation {
 public:
  /// What a simulation has beside what its configuration says.
  struct Parts {
    Ssd::MemorySocket* foreign_dram = nullptr;  ///< see Ssd
    bool foreign_modules = false;               ///< modules with processes of their own will be in the model
    bool bytes = false;  ///< keep the bytes of front ends' commands, and of jobs that have any; needs config.verify
    std::uint64_t bytes_memory = PayloadStore::kUsualMemory;  ///< see PayloadStore::Shape
    /// Of data, in spare words, where nobody mounts either: for who begins from a state of it, or shows its pages.
    bool keep_versions = true;
  };
  /// Builds everything. `config` must be validated and outlive this.
  explicit Simulation(const DeviceConfig& config) : Simulation(config, Parts{}) {}
  Simulation(const DeviceConfig& config, const Parts& parts);
  ~Simulation();

  Ssd& ssd() { return ssd_; }
  HostDriver& host() { return host_; }
  const Oracle* oracle() const { return oracle_.get(); }
  /// The bytes that the host wrote; null if none are kept.
  PayloadStore* payloads() { return payloads_.get(); }
  /// The host's page cache; null if there is none.
  const PageCache* page_cache() const { return page_cache_.get(); }
  /// The HDD, and the tier that makes the SSD its cache; null if there is none.
  const Hdd* hdd() const { return hdd_.get(); }
  TierController* tier() { return tier_.get(); }
  const TierController* tier() const { return tier_.get(); }
  /// The array whose drive 0 the SSD is; null if there is none.
  ArraySystem* array() { return array_.get(); }
  const ArraySystem* array() const { return array_.get(); }
  /// All SSDs, the first one at first.
  const std::vector<Ssd*>& drives() const { return drives_; }
  /// What the supply of all of it gave and for what; once, when the run has ended.
  EnergyReport close_books();
  /// The same again, after that.
  EnergyReport books() const;
  /// What the host sees.
  /// The object heap and its processes, which are there in place of the host's driver; null if there is none.
  HeapSystem* heap() { return heap_.get(); }
  std::uint64_t capacity_bytes() const { return capacity_; }

  /// Instant clock, before run(). `on_done` is called before all that was counted is forgotten.
  PreconditionResult precondition(const std::function<void(const char* step, double share)>& progress = {},
                                  const std::function<void()>& on_done = {});
  /// Saves what precondition() has left, its result included, or loads it in place of precondition().
  void state(StateArchive& archive, PreconditionResult& result);
  /// Carries out requests one by one on the instant clock: before run(), or after quiesce(). To the SSD, whose oracle
  /// knows nothing of them where it is the cache of a tier.
  InstantHost instant_host();

  /// For tests of cuts: the next one comes at `at` (kNever: not at all) in place of when [power] says; `orderly`: after
  /// the tier has stopped.
  void cut_power_at(Picoseconds at, bool orderly = false);
  /// Called when the jobs have begun. Modules with processes of their own may have run before. Each of these four may have
  /// several handlers, which are called in the order in which they came.
  void on_started(std::function<void()> handler) { on_started_.push_back(std::move(handler)); }
  /// Called when the power is cut, before anything has lost it.
  void on_power_lost(std::function<void()> handler) { on_power_lost_.push_back(std::move(handler)); }
  /// Called when the power has come back after a cut, and when everything has mounted.
  void on_power_back(std::function<void()> handler) { on_power_back_.push_back(std::move(handler)); }
  void on_mounted(std::function<void()> handler) { on_mounted_.push_back(std::move(handler)); }

  /// Ends run(), which throws it: something went wrong in a part that the simulation did not make.
  void note_failure(std::exception_ptr failure);
  /// In place of ending run(), where somebody else runs the kernel; `handler` may throw.
  void on_failure(std::function<void(std::exception_ptr)> handler) { on_failure_ = std::move(handler); }

  /// Simulates until the jobs are done. Throws SimulationFailure unless every request completed and no read failed.
  /// Exceptions of a workload or of the firmware are thrown on unchanged.
  void run(std::vector<HostJob> jobs);
  /// Its parts, for simulations beside each other: all of them start, one of them proceeds until somebody pauses the time
  /// loop, all of them finish. `done` is called when the jobs are.
  void start(std::vector<HostJob> jobs, std::function<void()> done);
  void proceed();
  void finish();
  /// Of a job without a source, number `job`: measuring of it and of the device begins now.
  void measure_front(std::uint32_t job);
  /// The same of processes on the object heap.
  void run(std::vector<HeapJob> jobs);
  /// How well the data of jobs compress, to the SSD's compressor. Of who carries jobs out by instant_host(); the others do
  /// it themselves.
  void tell_savings(const std::vector<HostJob>& jobs);
  /// In place of run(), for a part of a longer run from which the instant clock has come here: simulates until somebody
  /// ends the window. Requests may then be in flight: nothing can follow but the answers.
  void run_window(std::vector<HostJob> jobs);
  /// Of a tier, in place of run(): everything in time but the SSD, which the instant clock carries out.
  struct Hybrid {
    std::function<Picoseconds(const BlockTransfer&)> takes;  ///< what a command to the SSD takes
    std::function<void()> ramps_over;  ///< called before what tier and HDD have counted in the ramps is forgotten
  };
  /// Begins it; proceed() goes on until somebody pauses the time loop, or the jobs are done.
  void start_hybrid(std::vector<HostJob> jobs, Hybrid hybrid);
  /// Between two proceed(): from here on the SSD is in time, too. What it has been given before ends as it was told.
  void go_on_timed();
  /// And simulates until somebody ends the window: see the other one.
  void run_window();
  /// Of an observer of the host: what is measured begins now, with what is in flight.
  void begin_window();
  /// The same: it ends now, and run_window() with it.
  void end_window();
  /// In place of run(): the jobs have been measured elsewhere, and the device not at all.
  void adopt(std::vector<HostJob> jobs, const std::vector<HostStatistics>& statistics);
  /// In place of run(): the jobs' requests one by one on the instant clock, job after job. There is no time, so host()
  /// has no figures; `progress` hears of requests done now and then.
  void run_untimed(std::vector<HostJob> jobs, const std::function<void(std::uint64_t)>& progress = {});
  /// Of a handler of on_progress() of host or heap: the jobs end, the run with them. run_untimed() stops by itself when
  /// somebody at the terminal wishes it.
  void stop();
  /// Jobs were ended before their time.
  bool stopped() const { return stopped_; }
  /// Completed by the host since the window began.
  HostTotals totals_in_window() const {
    if (heap_ != nullptr) return heap_->device_totals();
    return untimed_ ? untimed_->done : host_.totals() - window_.host;
  }
  /// What the host measured; of run_untimed() the requests that failed alone.
  HostStatistics host_statistics() const;
  bool timed() const { return !untimed_; }
  /// Of run(), since the window began, or of run_untimed().
  const FlashCounters& flash_counters() { return timed() ? ssd_.flash().counters() : ssd_.instant_flash().counters(); }
  /// Writes back what the page cache holds, lets the device finish what it has begun (destage, GC), then returns to the
  /// instant clock.
  void quiesce();
  /// Reads back everything that was ever written, on the instant clock, and checks it; needs verify, and quiesce()
  /// before. Returns the number of sectors read. With a heap all its objects, on the timed clock.
  std::uint64_t audit();
  /// Of them, those that the audit found lost to bit errors: they read as media errors, and never as data.
  std::uint64_t unreadable_sectors() const { return unreadable_sectors_; }

  /// From here on the device is measured: from 0, or from the end of the last ramp of a job. Flash, FTL, buffer,
  /// memories, energy and utilization count from then.
  struct Window {
    Picoseconds begin = 0;
    HostTotals host;  ///< completed before
    std::vector<BusTime> channels;
    std::vector<DieActivity> dies;
    std::vector<double> core_busy;  ///< ps
  };
  const Window& window() const { return window_; }
  /// Last completion of the host, the end of what a front end did, or the end of quiesce().
  Picoseconds end() const { return end_; }
  const std::vector<PowerCut>& power_cuts() const { return cuts_; }
  /// Of all mounts that were whole.
  Picoseconds recovery_time() const { return recovery_time_; }

 private:
  class Supply;
  using Handlers = std::vector<std::function<void()>>;
  static void call(const Handlers& handlers) {
    for (const std::function<void()>& handler : handlers) handler();
  }
  BlockTargetSocket& target(std::uint32_t queue);
  /// Whether all jobs are done.
  bool finished() const { return heap_ != nullptr ? heap_->finished() : host_.finished(); }
  void require_readable(std::uint64_t media_errors) const;
  template <class F>
  void each_drive(F&& f) {
    for (Ssd* const drive : drives_) f(*drive);
  }
  void begin_run();
  void end_run();
  void start_kernel();
  void begin_window(Picoseconds at);
  void take_utilization(Picoseconds at);
  std::uint64_t audit_tier(std::uint64_t read_length);
  void audit_units(InstantHost& host, std::uint64_t offset, std::uint64_t length);

  const DeviceConfig& config_;
  bool fronted_ = false;  // by a front end, in place of workloads
  bool alone_;            // no module of another maker is in the model
  Ssd ssd_;
  std::unique_ptr<Hdd> hdd_;
  std::unique_ptr<TierController> tier_;
  std::unique_ptr<ArraySystem> array_;
  std::vector<Ssd*> drives_;
  std::uint64_t capacity_;
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<PayloadStore> payloads_;
  HostDriver host_;
  std::unique_ptr<PageCache> page_cache_;
  std::unique_ptr<HeapSystem> heap_;
  std::unique_ptr<Supply> supply_;
  std::exception_ptr failure_;
  std::function<void(std::exception_ptr)> on_failure_;
  struct Untimed {
    HostTotals done;
    std::uint64_t media_errors = 0;
    std::uint64_t write_protected = 0;
  };
  std::optional<Untimed> untimed_;  // of run_untimed()
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
  bool adopted_ = false;  // what was measured; the device is quiescent, on the instant clock
};

}  // namespace flashloom
