#include "sc_main/assembly/system/ssd.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/mapping/host_level.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "controllers/hardware/drive_faults.hpp"
#include "models/memory/banked_dram.hpp"
#include "models/memory/memory_model.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/power_split.hpp"

namespace flashloom {
namespace {

std::unique_ptr<MemoryTarget> make_dram(const DramConfig& config, EnergyLedger& ledger) {
  if (config.banked) return std::make_unique<BankedDram>("dram", config, ledger);
  return std::make_unique<MemoryModel>("dram", config, "dram", ledger);
}

// The data of a command streams through the SRAM, so it may be larger than that: the model gets a larger address range.
std::unique_ptr<MemoryTarget> make_sram(SramConfig config, EnergyLedger& ledger) {
  config.size = std::max(config.size, std::uint64_t{1} << 32);
  config.write_latency = config.read_latency;
  return std::make_unique<MemoryModel>("sram", config, "sram", ledger);
}

DramLayout make_layout(const DeviceConfig& config, const NandGeometry& geometry) {
  const std::uint64_t logical = logical_units(config.ftl, geometry);
  const std::uint64_t map =
      ftl_map_bytes(config.ftl, geometry, logical) +
      host_map_directory_bytes(config.hmb, geometry.unit_bytes, ftl_map_units(config.ftl, geometry, logical));
  return DramLayout(config.dram.size, config.ftl.map_location == "dram" ? map : 0,
                    config.buffer.location == "dram" ? config.buffer.size : 0);
}

}  // namespace

Ssd::Ssd(const sc_core::sc_module_name& name, const DeviceConfig& config, MemorySocket* foreign_dram,
         bool keep_versions)
    : sc_module(name),
      config_(config),
      geometry_(geometry_of(config)),
      timing_(config.nand, geometry_, config.seed),
      ledger_(config.power.peak_window, true, nullptr, config.power.regulator_efficiency),
      media_(geometry_, config.nand.in_order_program,
             config.verify ? config.ftl.mapping_unit / config.host_interface.sector_size : 0,
             BlockEndurance(config.nand, config.seed), tested_block_times(config.nand, geometry_)),
      instant_flash_(media_, timing_),
      flash_("flash", config.nand, timing_, media_, config.ftl.arbitration, &ledger_, config.ftl.queue_limit,
             {.dies = config.power.cap_dies,
              .watts = config.power.cap,
              .shared = config.power.max_power() == 0 ? 0 : split_power(config, config.power.max_power()).shared,
              .window = config.power.cap_window},
             config.thermal.on() && !config.thermal.throttle.empty() ? config.thermal.period : 0),
      timers_("timers"),
      cores_("cpu", config.cpu, ledger_),
      link_("link", config.link, ledger_),
      link_port_("link_port"),
      hardware_(instant_flash_),
      host_memory_(make_host_memory()),
      firmware_((model_errors(), model_faults(), log_fdp_events(), model_compression(), forget_versions(keep_versions),
                 make_firmware())),
      interface_("host_interface",
                 {config.host.queues, config.host.queue_priorities, config.host_interface, config.link}, runtime_,
                 hardware_) {
  if (config.works_in_idle_time()) interface_.use_idle_time(config.ftl.gc_idle_time);
  if (config.dram.size != 0) {
    if (foreign_dram == nullptr) dram_ = make_dram(config.dram, ledger_);
    dram_port_ = std::make_unique<MemoryPort>("dram_port");
    dram_port_->socket.bind(foreign_dram == nullptr ? dram_->socket : *foreign_dram);
    if (foreign_dram != nullptr || config.dram.banked)
      layout_ = std::make_unique<DramLayout>(make_layout(config, geometry_));
  }
  if (config.dramless()) {
    sram_ = make_sram(config.sram, ledger_);
    dram_port_ = std::make_unique<MemoryPort>("sram_port");
    dram_port_->socket.bind(sram_->socket);
  }
  if (config.hmb.on()) host_memory_events_ = std::make_unique<HostMemoryEvents>("host_memory", config.hmb, *this);
  if (config.nvram.size != 0) {
    nvram_ = std::make_unique<MemoryModel>("nvram", config.nvram, "nvram", ledger_);
    nvram_port_ = std::make_unique<MemoryPort>("nvram_port");
    nvram_port_->socket.bind(nvram_->socket);
  }
  link_port_.socket.bind(link_.socket);
  media_.set_tearing({.mixed = config.power.torn == "mixed", .seed = config.seed});
  interface_.delay(config.controller.read_latency, config.controller.write_latency);
  if (config.controller.read_page_latency != 0) flash_.delay_pages(config.controller.read_page_latency);
  if (config.controller.present()) {
    controller_ = std::make_unique<ControllerLogic>(config.controller, ledger_, link_);
    interface_.attach(*controller_);
  }
  if (PowerBudget* const budget = flash_.budget()) link_.keep_to(*budget);
  if (Capacitors::present(config.power)) capacitors_ = std::make_unique<Capacitors>(config.power, ledger_);
  if (!config.power.states.empty()) {
    power_states_ = std::make_unique<PowerStates>(config.power, ledger_, flash_);
    interface_.attach(*power_states_);
  }
  if (config.thermal.on()) {
    thermal_ =
        std::make_unique<ThermalControl>(config.thermal, config.nand.errors, ledger_, flash_, link_, media_.errors());
    flash_.attach(*thermal_);
    interface_.attach(*thermal_);
  }
}

// To be called before the firmware is made, which uses the ECC engine.
void Ssd::model_errors() {
  if (!config_.nand.errors.on()) return;
  media_.model_errors(config_.nand, config_.seed);
  ecc_ = std::make_unique<EccEngine>(config_.nand, media_, config_.ftl.scrub_reads, config_.ftl.scrub_level);
  ecc_->attach(ledger_.add("ecc", "ecc", EccEngine::power_figures(config_.nand.ecc)));
  instant_flash_.correct_by(*ecc_);
  flash_.correct_by(*ecc_);
}

void Ssd::model_faults() {
  if (!config_.faults.any()) return;
  faults_ = std::make_unique<DriveFaults>(config_.faults, config_.seed);
  hardware_.inject(*faults_);
}

void Ssd::log_fdp_events() {
  if (!config_.ftl.fdp.on()) return;
  fdp_events_ = std::make_unique<FdpEvents>(config_.ftl.fdp);
  hardware_.attach(*fdp_events_);
}

void Ssd::model_compression() {
  if (!config_.compression.on()) return;
  compressor_ = std::make_unique<Compressor>(config_.compression, config_.ftl.mapping_unit, config_.seed, hardware_);
  compressor_->attach(ledger_.add("compressor", "compressor", Compressor::power_figures(config_.compression)));
  hardware_.attach(*compressor_);
}

void Ssd::forget_versions(bool keep_versions) {
  if (!keep_versions) keep_no_versions(media_, config_.ftl);
}

std::unique_ptr<HostMemoryBuffer> Ssd::make_host_memory() {
  if (!config_.hmb.on()) return nullptr;
  auto buffer = std::make_unique<HostMemoryBuffer>(config_.hmb, hardware_);
  hardware_.attach(*buffer);
  return buffer;
}

Ssd::~Ssd() { runtime_.destroy_frames(); }

void Ssd::start_timed() {
  if (power_states_ != nullptr) power_states_->rest(kernel_now());
  if (media_.errors() != nullptr) media_.errors()->begin_aging();
  hardware_.use_timed({.flash = &flash_,
                       .timers = &timers_,
                       .cores = &cores_,
                       .dram = dram_port_.get(),
                       .nvram = nvram_port_.get(),
                       .map = config_.ftl.map_location == "nvram" ? nvram_port_.get() : dram_port_.get(),
                       .buffer = config_.buffer.location == "nvram" ? nvram_port_.get() : dram_port_.get(),
                       .link = config_.link.kind == "ideal" ? nullptr : &link_port_,
                       .layout = layout_.get(),
                       .at_once = dram_port_ == nullptr || dram_ != nullptr || sram_ != nullptr});
  interface_.attach(firmware_.get());
  if (thermal_ != nullptr) thermal_->begin(kernel_now());
}

void Ssd::start_instant() {
  interface_.attach(nullptr);
  nvram_contents_.settle();
  hardware_.use_instant();
}

void Ssd::state(StateArchive& archive) {
  if (!runtime_.quiescent()) throw std::logic_error("a device can be saved and loaded only while its firmware rests");
  archive.part("flash");
  media_.state(archive);
  if (media_.high_bits_missing())
    throw StateError(
        "the state is of a run without power cuts, which keeps no versions of data; `flashloom precondition` "
        "saves states for all runs");
  archive.part("nvram");
  nvram_contents_.state(archive);
  if (fdp_events_ != nullptr) archive(*fdp_events_);
  firmware_->state(archive);
}

void Ssd::settle() {
  const Picoseconds now = kernel_now();
  flash_.settle(now);
  link_.settle(now);
  for (MemoryTarget* const memory : {dram_.get(), sram_.get(), nvram_.get()})
    if (memory != nullptr) memory->settle(now);
}

void Ssd::hold_up(std::function<void()> done) {
  interface_.hold();
  // The host loses power, too.
  if (host_memory_ != nullptr) {
    host_memory_->lose(false);
    firmware_->host_memory_lost();
    told_by_mount_ = true;
  }
  if (thermal_ != nullptr) thermal_->hold_up();
  settle();
  drawn_before_ = ledger_.joules_until(kernel_now());
  emergency_ = {};
  runtime_.spawn([&] { return flush(std::move(done)); });
}

double Ssd::drawn_on_capacitors() {
  if (!drawn_before_) return 0;
  settle();
  return ledger_.joules_until(kernel_now()) - *drawn_before_;
}

Task<void> Ssd::flush(std::function<void()> done) {
  co_await firmware_->drain(emergency_);
  done();
}

void Ssd::power_cut(Picoseconds off_time) {
  const Picoseconds now = kernel_now();
  given_ = drawn_on_capacitors();
  drawn_before_.reset();
  if (power_states_ != nullptr) power_states_->power_cut(now);
  if (thermal_ != nullptr) thermal_->power_cut(now);
  flash_.power_cut(now);
  nvram_contents_.power_cut(now);
  timers_.cancel_all();
  cores_.drop_all();
  if (compressor_ != nullptr) compressor_->power_cut();
  link_port_.drop_all();
  link_.drop_all();
  for (MemoryPort* const port : {dram_port_.get(), nvram_port_.get()})
    if (port != nullptr) port->drop_all();
  for (MemoryTarget* const memory : {dram_.get(), sram_.get(), nvram_.get()})
    if (memory != nullptr) memory->drop_all(off_time);
  ended_ftl_ += firmware_->ftl().statistics();
  ended_buffer_ += firmware_->buffer().statistics();
  ended_room_waits_ += firmware_->buffer().room_waits();
  runtime_.destroy_frames();
  firmware_.reset();
  interface_.power_cut();
  ledger_.power_off(now, now + off_time);
}

void Ssd::power_on(std::function<void()> ready) {
  if (thermal_ != nullptr) thermal_->power_on(kernel_now());
  if (capacitors_ != nullptr) capacitors_->charge(given_, kernel_now());
  if (host_memory_ != nullptr) host_memory_->restart();
  told_by_mount_ = true;
  firmware_ = make_firmware();
  runtime_.spawn([&] { return boot(std::move(ready)); });
}

Task<void> Ssd::boot(std::function<void()> ready) {
  co_await firmware_->boot();
  told_by_mount_ = false;
  if (host_memory_ != nullptr) co_await firmware_->host_memory_changed();
  if (power_states_ != nullptr) power_states_->rest(kernel_now());
  interface_.attach(firmware_.get());
  ready();
}

void Ssd::lend_host_memory(std::uint64_t bytes, std::function<void()> done) {
  host_memory_->offer(bytes);
  if (!powered() || told_by_mount_) return done();  // the memory holds no data
  runtime_.spawn([&] { return change_host_memory(std::move(done)); });
}

Task<void> Ssd::change_host_memory(std::function<void()> done) {
  co_await firmware_->host_memory_changed();
  done();
}

void Ssd::lose_host_memory() {
  host_memory_->lose(true);
  if (powered()) firmware_->host_memory_lost();
}

void Ssd::withhold_host_memory() {
  host_memory_->withhold();
  if (powered()) firmware_->host_memory_lost();
}

FtlStatistics Ssd::ftl_statistics() const {
  FtlStatistics sum = ended_ftl_;
  if (firmware_ != nullptr) sum += firmware_->ftl().statistics();
  sum -= ftl_baseline_;
  return sum;
}

BufferStatistics Ssd::buffer_statistics() const {
  BufferStatistics sum = ended_buffer_;
  if (firmware_ != nullptr) sum += firmware_->buffer().statistics();
  sum -= buffer_baseline_;
  return sum;
}

RoomWaitCounts Ssd::room_waits() const {
  RoomWaitCounts sum = ended_room_waits_;
  if (firmware_ != nullptr) sum += firmware_->buffer().room_waits();
  sum -= room_waits_baseline_;
  return sum;
}

void Ssd::reset_statistics() {
  room_waits_baseline_ += room_waits();
  ftl_baseline_ += ftl_statistics();
  buffer_baseline_ += buffer_statistics();
  flash_.counters().reset();
  flash_.forget_network_use(kernel_now());
  instant_flash_.counters().reset();
  interface_.reset_statistics();
  if (faults_ != nullptr) faults_->reset_statistics();
  if (fdp_events_ != nullptr) fdp_events_->clear();
  if (host_memory_ != nullptr) host_memory_->reset_counters();
  cores_.reset_counters();
  if (compressor_ != nullptr) compressor_->reset_statistics();
  if (thermal_ != nullptr) thermal_->reset_statistics(kernel_now());
  if (ecc_ != nullptr) {
    ecc_->reset_statistics();
    media_.errors()->reset_statistics();
  }
  for (MemoryTarget* const memory : {dram_.get(), sram_.get(), nvram_.get()})
    if (memory != nullptr) memory->reset_counters();
}

}  // namespace flashloom
