#include "sc_main/system/simulation.hpp"

#include <algorithm>
#include <stdexcept>

#include "workloads/random.hpp"

namespace flashloom {

// Cuts the power, and brings it back, as often as the device file says; with capacitors the device gets their energy.
class Simulation::Supply final : public sc_core::sc_module, private Timer {
 public:
  Supply(const sc_core::sc_module_name& name, Simulation& simulation)
      : sc_module(name),
        simulation_(simulation),
        power_(simulation.config_.power),
        random_(power_.cut_seed != 0 ? power_.cut_seed : simulation.config_.seed),
        timers_("timers") {
    next(power_.cut_at != 0 ? power_.cut_at : spacing());
  }

  /// Power is on, and the device has mounted.
  bool ready() const { return phase_ == Phase::On && !mounting_; }

 private:
  enum class Phase : std::uint8_t { On, HoldUp, Off };
  // Shorter steps than this are not worth a look at the capacitors.
  static constexpr Picoseconds kStep = 100 * kNanosecond;

  void on_timer() override {
    switch (phase_) {
      case Phase::On:
        return fail();
      case Phase::HoldUp:
        return look();
      case Phase::Off:
        return restore();
    }
  }

  void next(Picoseconds at) {
    timers_.cancel_all();
    timers_.schedule(*this, at);
  }
  Picoseconds spacing() { return 1 + random_.below(2 * power_.cut_spacing); }

  void fail() {
    if (simulation_.finished()) return;
    PowerCut& cut = simulation_.cuts_.emplace_back();
    cut.at = cut.off_at = kernel_now();
    if (!mounting_) {
      simulation_.host_.power_lost();
      if (simulation_.page_cache_ != nullptr) simulation_.page_cache_->power_lost();
      if (simulation_.heap_ != nullptr) simulation_.heap_->power_lost();
    }
    if (!power_.plp || mounting_) return cut_off();
    phase_ = Phase::HoldUp;
    simulation_.ssd_.flash().settle(kernel_now());
    drawn_before_ = simulation_.ssd_.ledger().joules_until(kernel_now());
    flushed_ = false;
    look();
    simulation_.ssd_.hold_up([this] {
      flushed_ = true;
      next(kernel_now());  // firmware cannot be cut off by its own coroutine
    });
  }

  void look() {
    PowerCut& cut = simulation_.cuts_.back();
    Ssd& ssd = simulation_.ssd_;
    ssd.flash().settle(kernel_now());
    cut.capacitor_j = ssd.ledger().joules_until(kernel_now()) - drawn_before_;
    if (flushed_) return cut_off();
    if (power_.plp_energy == 0) return;
    const double left = power_.plp_energy - cut.capacitor_j;
    cut.exhausted = left <= 0;
    if (cut.exhausted) return cut_off();
    const auto step = static_cast<Picoseconds>(left / ssd.ledger().most_watts() * 1e12);
    next(kernel_now() + std::max(step, kStep));
  }

  void cut_off() {
    PowerCut& cut = simulation_.cuts_.back();
    cut.off_at = kernel_now();
    cut.in_mount = mounting_;
    if (!mounting_) cut.units_lost = simulation_.ssd_.firmware().buffer().dirty_units();
    if (simulation_.config_.buffer.location == "nvram") cut.units_lost = 0;
    simulation_.ssd_.power_cut(power_.off_time);
    mounting_ = false;
    phase_ = Phase::Off;
    next(kernel_now() + power_.off_time);
  }

  void restore() {
    phase_ = Phase::On;
    mounting_ = true;
    const Picoseconds begin = kernel_now();
    if (simulation_.cuts_.size() < power_.cut_count()) next(begin + spacing());
    simulation_.ssd_.power_on([this, begin] {
      mounting_ = false;
      PowerCut& cut = simulation_.cuts_.back();
      cut.mounted = true;
      cut.mount_time = kernel_now() - begin;
      cut.mount = simulation_.ssd_.firmware().ftl().mount_report();
      simulation_.recovery_time_ += cut.mount_time;
      // What the device has kept the host's cache may not have sent.
      const bool kept = simulation_.heap_ != nullptr ||
                        (power_.plp && simulation_.page_cache_ == nullptr && !exhausted_since_mount());
      if (simulation_.oracle_ != nullptr) simulation_.oracle_->power_cut(kept);
      if (simulation_.page_cache_ != nullptr) simulation_.page_cache_->power_back();
      if (simulation_.heap_ != nullptr) simulation_.heap_->power_back();
      simulation_.host_.power_back();
      if (simulation_.finished()) sc_core::sc_pause();  // its last requests had failed with the power
    });
  }

  // The cut that the host's requests met was one that a flush had come before.
  bool exhausted_since_mount() const {
    const auto& cuts = simulation_.cuts_;
    auto cut = cuts.rbegin();
    while (cut->in_mount && cut + 1 != cuts.rend()) ++cut;
    return cut->exhausted;
  }

  Simulation& simulation_;
  const PowerConfig& power_;
  Random random_;
  TimerQueue timers_;
  Phase phase_ = Phase::On;
  bool mounting_ = false;
  bool flushed_ = false;
  double drawn_before_ = 0;
};

namespace {

Oracle::Shape oracle_shape(const DeviceConfig& config, std::uint64_t capacity) {
  if (config.heap.present()) {
    const HeapLayout layout = heap_layout(config, capacity);
    return {.capacity_bytes = layout.heap_bytes(),
            .sector_bytes = config.host_interface.sector_size,
            .unit_bytes = layout.page_bytes,
            .durable_writes = true,
            .power_cuts = config.power.cut_count() != 0};
  }
  return {.capacity_bytes = capacity,
          .sector_bytes = config.host_interface.sector_size,
          .unit_bytes = config.ftl.mapping_unit,
          .durable_writes = config.host.cache.size == 0 &&
                            (config.buffer.mode == "write_through" || config.buffer.location == "nvram"),
          .power_cuts = config.power.cut_count() != 0};
}

// With a heap the driver has nothing to drive, and no queues.
HostConfig host_config(const DeviceConfig& config) {
  HostConfig host = config.host;
  if (config.heap.present()) host.queues = 0;
  return host;
}

}  // namespace

Simulation::Simulation(const DeviceConfig& config)
    : config_(config),
      ssd_("ssd", config),
      capacity_(ssd_.firmware().capacity_bytes()),
      oracle_(config.verify ? std::make_unique<Oracle>(oracle_shape(config, capacity_)) : nullptr),
      host_("host", host_config(config), config.host_interface.sector_size,
            config.host_interface.queue_depth * config.host.queues, oracle_.get()) {
  if (config.host.cache.size != 0)
    page_cache_ = std::make_unique<PageCache>("page_cache", config.host.cache,
                                              PageCache::Shape{.queues = config.host.queues,
                                                               .sector_bytes = config.host_interface.sector_size,
                                                               .capacity_bytes = capacity_,
                                                               .discard_bytes = config.ftl.mapping_unit,
                                                               .tokens = config.verify});
  if (config.heap.present()) heap_ = std::make_unique<HeapSystem>(config, ssd_, oracle_.get());
  for (std::uint32_t queue = 0; queue < host_.queues(); ++queue) {
    if (page_cache_ == nullptr) {
      host_.socket(queue).bind(ssd_.socket(queue));
      continue;
    }
    host_.socket(queue).bind(page_cache_->target(queue));
    page_cache_->initiator(queue).bind(ssd_.socket(queue));
  }
  const auto fail = [this](std::exception_ptr failure) {
    if (!failure_) failure_ = std::move(failure);
    sc_core::sc_pause();
  };
  host_.on_failure(fail);
  ssd_.runtime().on_failure(fail);
  if (page_cache_ != nullptr) page_cache_->on_failure(fail);
  if (heap_ != nullptr) heap_->processes().on_failure(fail);
  if (config.power.cut_count() != 0) supply_ = std::make_unique<Supply>("supply", *this);
}

Simulation::~Simulation() = default;

InstantHost Simulation::instant_host() {
  return {ssd_.runtime(), ssd_.firmware(), config_.host_interface.sector_size,
          heap_ == nullptr ? oracle_.get() : nullptr};
}

PreconditionResult Simulation::precondition(const std::function<void(const char*, double)>& progress) {
  InstantHost host = instant_host();
  const PreconditionResult result = Preconditioner(config_, host, ssd_.firmware()).run(progress);
  ssd_.reset_statistics();
  return result;
}

void Simulation::state(StateArchive& archive, PreconditionResult& result) {
  archive(result);
  ssd_.state(archive);
  if (oracle_ != nullptr && heap_ == nullptr) oracle_->state(archive);
  archive.part("end");
  if (archive.loading()) ssd_.reset_statistics();
}

void Simulation::start_kernel() {
  if (sc_core::sc_get_status() < sc_core::SC_RUNNING) sc_core::sc_start(sc_core::SC_ZERO_TIME);  // binds the sockets
}

void Simulation::advance() {
  // Nothing left to do is an answer here, not a surprise.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_WARNING,
                                          sc_core::SC_DO_NOTHING);
  try {
    sc_core::sc_start();  // until it is paused, or nothing is left to do
  } catch (const sc_core::sc_report& report) {
    // What a process throws (a die that refuses a command) comes out of the kernel as a report.
    throw SimulationFailure(report.get_msg());
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Simulation::begin_run() {
  start_kernel();
  ssd_.start_timed();
  take_utilization(0);
}

// A run ends with a device that is there.
void Simulation::end_run() {
  if (!finished() || supply_ == nullptr || supply_->ready()) return;
  advance();
  end_ = kernel_now();
}

void Simulation::run(std::vector<HeapJob> jobs) {
  begin_run();
  heap_->processes().on_setup_over([this] { begin_window(kernel_now()); });
  heap_->processes().start(std::move(jobs), [] { sc_core::sc_pause(); });
  if (!heap_->finished()) advance();
  end_ = heap_->processes().end();
  end_run();
  if (!heap_->finished()) throw SimulationFailure("the heap's processes wait for what never comes");
}

void Simulation::run(std::vector<HostJob> jobs) {
  begin_run();
  host_.on_ramps_over([this] { begin_window(kernel_now()); });
  host_.start(std::move(jobs), [this] { sc_core::sc_pause(); });
  if (!host_.finished()) advance();
  const HostStatistics statistics = host_.statistics();
  end_ = statistics.end;
  end_run();
  if (host_.ramping()) begin_window(end_);  // no ramp should be longer than the run: there is nothing to measure
  if (!host_.finished() || statistics.requests != statistics.completions)
    throw SimulationFailure("requests were lost: " + std::to_string(statistics.requests) + " submitted, " +
                            std::to_string(statistics.completions) + " completed");
  // Flash makes no errors so far: a page that cannot be read is one that the firmware should not have asked for.
  if (statistics.media_errors != 0)
    throw SimulationFailure(std::to_string(statistics.media_errors) + " reads met a page that cannot be read");
}

void Simulation::run_untimed(std::vector<HostJob> jobs, const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t kProgress = 1 << 12;  // requests
  InstantHost host = instant_host();
  HostTotals& totals = untimed_.emplace();
  std::uint64_t done = 0;
  for (HostJob& job : jobs) {
    Request request;
    while (job.source->next(request)) {
      if (request.kind != RequestKind::Flush) request.offset += job.offset;
      if (host.run(request) != IoStatus::Ok)
        throw SimulationFailure("the device refused a request, at offset " + std::to_string(request.offset));
      IoCommand command;
      to_command(request, command);
      ++totals.ios[static_cast<std::size_t>(command.operation)];
      totals.bytes[static_cast<std::size_t>(command.operation)] += command.length;
      if (progress && ++done % kProgress == 0) progress(done);
    }
  }
  take_utilization(0);
}

void Simulation::begin_window(Picoseconds at) {
  ssd_.flash().settle(at);
  ssd_.ledger().begin(at);
  ssd_.reset_statistics();
  if (page_cache_ != nullptr) page_cache_->reset_statistics();
  if (heap_ != nullptr) heap_->reset_statistics();
  window_.begin = at;
  window_.host = host_.totals();
  take_utilization(at);
}

void Simulation::take_utilization(Picoseconds at) {
  const NandGeometry& geometry = ssd_.geometry();
  window_.channels.clear();
  window_.dies.clear();
  window_.core_busy.clear();
  for (std::uint32_t channel = 0; channel < geometry.channels; ++channel)
    window_.channels.push_back(ssd_.flash().bus_time(Channel{channel}, at));
  for (std::uint32_t die = 0; die < geometry.dies; ++die) window_.dies.push_back(ssd_.flash().activity(Die{die}, at));
  for (std::uint32_t core = 0; core < ssd_.cores().cores(); ++core)
    window_.core_busy.push_back(ssd_.cores().utilization(core, at) * static_cast<double>(at));
}

void Simulation::quiesce() {
  if (!timed() || heap_ != nullptr) return;
  if (page_cache_ != nullptr) page_cache_->sync();
  advance();
  end_ = kernel_now();
  ssd_.start_instant();
}

std::uint64_t Simulation::audit() {
  if (oracle_ == nullptr) throw std::logic_error("an audit needs verify");
  if (heap_ != nullptr) {
    const std::uint64_t audited = heap_->audit([] { sc_core::sc_pause(); });
    advance();  // until everything is read
    advance();  // until nothing is under way
    heap_->heap().check();
    return audited;
  }
  constexpr std::uint64_t kReadLength = 128 << 10;
  InstantHost host = instant_host();
  std::uint64_t sectors = 0;
  for (const auto& [offset, length] : oracle_->touched_ranges(kReadLength)) {
    if (host.run({.offset = offset, .length = length, .kind = RequestKind::Read}) != IoStatus::Ok)
      throw SimulationFailure("the audit met a page that cannot be read, at offset " + std::to_string(offset));
    sectors += length / config_.host_interface.sector_size;
  }
  return sectors;
}

}  // namespace flashloom
