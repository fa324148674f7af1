#include "sc_main/assembly/system/simulation.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/hardware/drive_faults.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/system/supply.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {

namespace {

// Overwritten contents may reappear if the host's cache gives up writes (Oracle::given_up) or a drive loses durable
// data: the store may forget them only without both.
PayloadStore::Shape payload_shape(const DeviceConfig& config, const Simulation::Parts& parts) {
  return {.sector_bytes = config.host_interface.sector_size,
          .memory_bytes = parts.bytes_memory,
          .forgets = config.host.cache.size == 0 && !config.may_forget_durable()};
}

// A driver that a part replaces sends no requests, so it gets no queues.
HostConfig host_config(const DeviceConfig& config, const StackPart* part) {
  HostConfig host = config.host;
  if (part != nullptr && part->replaces_host()) host.queues = 0;
  return host;
}

std::unique_ptr<StackPart> make_part(const DeviceConfig& config, Ssd& ssd) {
  const StackKind* const kind = stack_kind_of(config);
  return kind == nullptr ? nullptr : kind->make(config, ssd);
}

}  // namespace

std::uint64_t host_capacity_bytes(const DeviceConfig& config) {
  const StackKind* const kind = stack_kind_of(config);
  return kind == nullptr ? capacity_bytes(config) : kind->capacity_bytes(config);
}

Simulation::Simulation(const DeviceConfig& config, const Parts& parts)
    : config_(config),
      alone_(parts.foreign_dram == nullptr && !parts.foreign_modules),
      ssd_(config.array.present() ? "drive0" : "ssd", config, parts.foreign_dram,
           parts.keep_versions || config.power.cut_count() != 0),
      part_(make_part(config, ssd_)),
      drives_(part_ != nullptr ? part_->drives() : std::vector<Ssd*>{&ssd_}),
      capacity_(part_ != nullptr ? part_->capacity_bytes() : ssd_.firmware().capacity_bytes()),
      oracle_(config.verify ? std::make_unique<Oracle>(oracle_shape()) : nullptr),
      payloads_(parts.bytes ? std::make_unique<PayloadStore>(payload_shape(config, parts)) : nullptr),
      host_("host", host_config(config, part_.get()), config.host_interface.sector_size,
            config.host_interface.queue_depth * config.host.queues, oracle_.get(), payloads_.get()) {
  if (payloads_ != nullptr) oracle_->tell(payloads_.get());
  if (config.host.cache.size != 0)
    page_cache_ = std::make_unique<PageCache>("page_cache", config.host.cache,
                                              PageCache::Shape{.queues = config.host.queues,
                                                               .sector_bytes = config.host_interface.sector_size,
                                                               .capacity_bytes = capacity_,
                                                               .discard_bytes = trim_bytes(),
                                                               .oracle = oracle_.get()});
  if (part_ != nullptr) part_->meet(oracle_.get());
  for (std::uint32_t queue = 0; queue < host_.queues(); ++queue) {
    if (page_cache_ == nullptr) {
      host_.socket(queue).bind(target(queue));
      continue;
    }
    host_.socket(queue).bind(page_cache_->target(queue));
    page_cache_->initiator(queue).bind(target(queue));
  }
  if (page_cache_ != nullptr || (part_ != nullptr && part_->zeroes_are_data())) host_.write_zeroes_as_data();
  if (const auto zones = zones_of(config_))
    host_.order_zones(std::uint64_t{zones->zone_units} * config_.ftl.mapping_unit);
  const auto fail = [this](std::exception_ptr failure) { note_failure(std::move(failure)); };
  host_.on_failure(fail);
  if (page_cache_ != nullptr) page_cache_->on_failure(fail);
  if (part_ != nullptr) part_->on_failure(fail);
  if (config.power.cut_count() != 0) supply_ = std::make_unique<Supply>("supply", *this);
}

Simulation::~Simulation() = default;

Oracle::Shape Simulation::oracle_shape() const {
  const DeviceConfig& config = config_;
  Oracle::Shape shape = {
      .capacity_bytes = capacity_,
      .sector_bytes = config.host_interface.sector_size,
      .unit_bytes = trim_bytes(),
      .durable_writes =
          config.host.cache.size == 0 && (config.buffer.mode == "write_through" || config.buffer.location == "nvram"),
      .power_cuts = config.power.cut_count() != 0,
      .durable_trims = config.buffer.location == "nvram" && config.host.cache.size == 0,
      .zone_bytes = zones_of(config) ? std::uint64_t{zones_of(config)->zone_units} * config.ftl.mapping_unit : 0,
      .host_keeps = config.host.cache.size != 0};
  if (part_ != nullptr) part_->shape(shape);
  return shape;
}

// The socket to which the host, or its page cache, sends requests.
BlockTargetSocket& Simulation::target(std::uint32_t queue) {
  return part_ != nullptr ? part_->target(queue) : ssd_.socket(queue);
}

InstantHost Simulation::instant_host() {
  return {ssd_.runtime(), ssd_.firmware(), config_.host_interface.sector_size,
          part_ == nullptr ? oracle_.get() : nullptr, payloads_.get()};
}

PreconditionResult Simulation::precondition(const std::function<void(const char*, double)>& progress,
                                            const std::function<void()>& on_done) {
  InstantHost host = instant_host();
  const PreconditionResult result =
      Preconditioner(config_.precondition, config_.seed, host, ssd_.firmware()).run(progress);
  if (part_ != nullptr) part_->precondition(progress);
  if (on_done) on_done();
  each_drive([](Ssd& drive) { drive.reset_statistics(); });
  return result;
}

void Simulation::state(StateArchive& archive, PreconditionResult& result) {
  archive(result);
  ssd_.state(archive);
  if (part_ != nullptr) part_->state(archive);
  if (oracle_ != nullptr && !replaces_host()) oracle_->state(archive);
  bool bytes = payloads_ != nullptr;
  archive(bytes);
  if (bytes && payloads_ == nullptr)
    throw StateError("the state has bytes, which `flashloom nbd` has kept; it is of no other run");
  if (bytes) payloads_->state(archive);
  archive.part("end");
  if (archive.loading()) each_drive([](Ssd& drive) { drive.reset_statistics(); });
}

void Simulation::start_kernel() {
  // Elaborates and binds the sockets, unless a platform has done so that begins a run in start_of_simulation().
  if (sc_core::sc_get_status() < sc_core::SC_START_OF_SIMULATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Simulation::proceed() {
  // A kernel without pending activity is no error here: suppress its warning.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_WARNING,
                                          sc_core::SC_DO_NOTHING);
  try {
    // Runs until it is paused, or no activity is pending.
    if (alone_)
      TimeLoop::instance().run();
    else
      sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    // The kernel turns exceptions of processes (such as a die that refuses a command) into reports.
    throw SimulationFailure(report.get_msg());
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Simulation::cut_power_at(Picoseconds at, bool orderly) { supply_->cut_at(at, orderly); }

void Simulation::note_failure(std::exception_ptr failure) {
  if (on_failure_) return on_failure_(failure);
  if (!failure_) failure_ = std::move(failure);
  TimeLoop::pause();
}

// From now on exceptions of the firmware end the run; on the instant clock they reach the caller that sent the request.
void Simulation::begin_run() {
  start_kernel();
  if (ssd_.faults() != nullptr) ssd_.faults()->begin();
  each_drive([this](Ssd& drive) {
    drive.runtime().on_failure([this](std::exception_ptr failure) { note_failure(std::move(failure)); });
    drive.start_timed();
  });
  if (part_ != nullptr) part_->begin();
  take_utilization(0);
}

// If the power is off when the jobs end, simulates until the device has mounted.
void Simulation::end_run() {
  if (!finished() || supply_ == nullptr || supply_->ready()) return;
  proceed();
  end_ = kernel_now();
}

void Simulation::run_part() {
  begin_run();
  part_->start([this] { begin_window(kernel_now()); }, [] { TimeLoop::pause(); });
  if (!part_->finished()) proceed();
  end_ = part_->end();
  end_run();
  if (!part_->finished()) throw SimulationFailure("the processes wait for what never comes");
  require_readable(part_->media_errors());
}

void Simulation::run(std::vector<HostJob> jobs) {
  start(std::move(jobs), [] { TimeLoop::pause(); });
  if (!host_.finished()) proceed();
  finish();
}

void Simulation::start(std::vector<HostJob> jobs, std::function<void()> done) {
  fronted_ = std::any_of(jobs.begin(), jobs.end(), [](const HostJob& job) { return job.source == nullptr; });
  begin_run();
  tell_savings(jobs);
  host_.on_ramps_over([this] { begin_window(kernel_now()); });
  host_.start(std::move(jobs), std::move(done));
  call(on_started_);
}

void Simulation::tell_savings(const std::vector<HostJob>& jobs) {
  for (const HostJob& job : jobs)
    if (job.saved && ssd_.compressor() != nullptr && array() == nullptr)
      ssd_.compressor()->set_saved(job.stream, *job.saved);
}

void Simulation::measure_front(std::uint32_t job) {
  host_.measure_front(job);
  begin_window(kernel_now());
}

void Simulation::finish() {
  const HostStatistics statistics = host_.statistics();
  // A front end's host may have been idle at the end, while the device went on working.
  end_ = fronted_ ? kernel_now() : statistics.end.value;
  end_run();
  if (host_.ramping()) begin_window(end_);  // the ramp did not end before the run: nothing was measured
  if (!host_.finished() || statistics.requests != statistics.completions)
    throw SimulationFailure("requests were lost: " + std::to_string(statistics.requests) + " submitted, " +
                            std::to_string(statistics.completions) + " completed");
  require_readable(statistics.media_errors);
}

// Without bit errors and failing drives, an unreadable page means that the firmware has read a page that it should not.
void Simulation::require_readable(std::uint64_t media_errors) const {
  const bool may_fail = ssd_.ecc() != nullptr || (part_ != nullptr && part_->reads_may_fail());
  if (media_errors != 0 && !may_fail)
    throw SimulationFailure(std::to_string(media_errors) + " reads met a page that cannot be read");
}

HostStatistics Simulation::host_statistics() const {
  HostStatistics statistics = host_.statistics();
  if (!untimed_) return statistics;
  statistics.media_errors = untimed_->media_errors;
  statistics.write_protected = untimed_->write_protected;
  return statistics;
}

void Simulation::run_untimed(std::vector<HostJob> jobs, const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t kProgress = 1 << 12;  // requests
  if (ssd_.faults() != nullptr) ssd_.faults()->begin();
  tell_savings(jobs);
  InstantHost host = instant_host();
  Untimed& untimed = untimed_.emplace();
  const bool accounts = std::any_of(jobs.begin(), jobs.end(), [](const HostJob& job) { return job.accounts; });
  std::uint64_t done = 0;
  for (HostJob& job : jobs) {
    Request request;
    while (!stopped_ && job.source->next(request)) {
      if (request.kind != RequestKind::Flush) request.offset += job.offset;
      const IoStatus status = host.run(request);
      if (++done % kProgress == 0) {
        if (progress) progress(done);
        if (interrupted()) stopped_ = true;
      }
      if (status != IoStatus::Ok) {
        const bool refused = status == IoStatus::WriteProtected || is_zone_error(status);
        ++(refused ? untimed.write_protected : untimed.media_errors);
        continue;
      }
      IoCommand command;
      to_command(request, command);
      ++untimed.done.ios[static_cast<std::size_t>(command.operation)];
      untimed.done.bytes[static_cast<std::size_t>(command.operation)] += command.length;
      if (accounts) untimed.done.application_bytes += application_bytes(job, request);
    }
  }
  require_readable(untimed.media_errors);
  take_utilization(0);
}

void Simulation::stop() {
  stopped_ = true;
  host_.stop();
  if (part_ != nullptr) part_->stop_jobs();
}

void Simulation::begin_window(Picoseconds at) {
  ssd_.flash().settle(at);
  ssd_.flash().forget_most_watts(at);
  ssd_.ledger().begin(at);
  ssd_.reset_statistics();
  if (page_cache_ != nullptr) page_cache_->reset_statistics();
  if (part_ != nullptr) part_->begin_window(at);
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

EnergyReport Simulation::close_books() {
  each_drive([this](Ssd& drive) {
    drive.flash().settle(end_);
    drive.ledger().finish(end_);
  });
  return books();
}

EnergyReport Simulation::books() const {
  return part_ != nullptr ? part_->books() : drives_.front()->ledger().report();
}

void Simulation::quiesce() {
  if (!timed() || adopted_ || replaces_host()) return;
  if (page_cache_ != nullptr) page_cache_->sync();
  proceed();
  end_ = kernel_now();
  each_drive([](Ssd& drive) {
    drive.start_instant();
    drive.runtime().on_failure(nullptr);
  });
}

std::uint64_t Simulation::audit() {
  if (oracle_ == nullptr) throw std::logic_error("an audit needs verify");
  if (part_ != nullptr) return part_->audit(*this);
  constexpr std::uint64_t kReadLength = 128 << 10;
  InstantHost host = instant_host();
  std::uint64_t sectors = 0;
  for (const auto& [offset, length] : oracle_->touched_ranges(kReadLength)) {
    if (host.run({.offset = offset, .length = length, .kind = RequestKind::Read}) != IoStatus::Ok)
      audit_units(host, offset, length);
    sectors += length / config_.host_interface.sector_size;
  }
  return sectors;
}

// Reads a range that cannot be read as a whole unit by unit, so that all readable units are checked. Data of an offline
// zone is lost and not counted.
void Simulation::audit_units(InstantHost& host, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t unit = config_.ftl.mapping_unit;
  for (std::uint64_t at = offset; at < offset + length;) {
    const std::uint64_t end = std::min(offset + length, (at / unit + 1) * unit);
    const IoStatus status = host.run({.offset = at, .length = end - at, .kind = RequestKind::Read});
    if (status != IoStatus::Ok && status != IoStatus::ZoneIsOffline) {
      if (ssd_.ecc() == nullptr)
        throw SimulationFailure("the audit met a page that cannot be read, at offset " + std::to_string(at));
      unreadable_sectors_ += (end - at) / config_.host_interface.sector_size;
    }
    at = end;
  }
}

}  // namespace flashloom
