#include "sc_main/assembly/library/ssd.hpp"

#include <nlohmann/json.hpp>

#include "controllers/hardware/drive_faults.hpp"
#include "controllers/host/preconditioner.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "sc_main/assembly/library/embedded_device.hpp"
#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/report/hardware_report.hpp"
#include "sc_main/assembly/report/reliability_report.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/ssd_report.hpp"
#include "sc_main/assembly/report/thermal_report.hpp"
#include "sc_main/assembly/report/wear_report.hpp"
#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/assembly/system/ssd.hpp"
#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

constexpr const char* kSsdSchema = "flashloom.ssd/1";

/// Between the initiator and one queue of the SSD: sets the commands' times, and counts completions.
class CountedQueue final : public sc_core::sc_module, private BlockForward, private BlockBackward {
 public:
  BlockTargetSocket target;
  BlockInitiatorSocket initiator;

  CountedQueue(const sc_core::sc_module_name& name, std::uint32_t sector_bytes, HostTotals& totals)
      : sc_module(name), target("target"), initiator("initiator"), sector_bytes_(sector_bytes), totals_(totals) {
    target.bind(static_cast<BlockForward&>(*this));
    initiator.bind(static_cast<BlockBackward&>(*this));
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_REQ) begin(command);
    const tlm::tlm_sync_enum answer = initiator->nb_transport_fw(command, phase, delay);
    if (answer == tlm::TLM_UPDATED) note(command, phase, delay);
    return answer;
  }
  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    note(command, phase, delay);
    return target->nb_transport_bw(command, phase, delay);
  }
  void b_transport(IoCommand&, sc_core::sc_time&) override {
    SC_REPORT_ERROR("/flashloom/ssd", "b_transport is not offered on block sockets: use nb_transport_fw");
  }
  bool get_direct_mem_ptr(IoCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(IoCommand& command) override { return initiator->transport_dbg(command); }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void begin(IoCommand& command) const {
    const bool moves = command.operation != IoOperation::Flush;
    const auto wrong = [&](std::uint64_t bytes) { return bytes % sector_bytes_ != 0; };
    if (moves && (wrong(command.offset) || wrong(command.length) || command.length == 0))
      SC_REPORT_ERROR("/flashloom/ssd",
                      (std::string(name()) + ": offset and length of a command are whole sectors of " +
                       std::to_string(sector_bytes_) + " B, and not none")
                          .c_str());
    command.status = IoStatus::Ok;
    command.at = {};
    command.at.arrival = command.at.submit = kernel_now();
    command.breakdown.begin(command.at.arrival);
  }
  void note(IoCommand& command, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
    const Picoseconds at = kernel_now() + delay.value();
    if (phase == tlm::END_REQ) command.at.accepted = at;
    if (phase != tlm::BEGIN_RESP) return;
    command.at.complete = at;
    if (command.status != IoStatus::Ok) return;
    ++totals_.ios[static_cast<std::size_t>(command.operation)];
    totals_.bytes[static_cast<std::size_t>(command.operation)] += command.length;
  }

  std::uint64_t sector_bytes_;
  HostTotals& totals_;
};

}  // namespace

class SsdModule::Impl final : public sc_core::sc_module {
 public:
  Impl(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options)
      : sc_module(name),
        config_(load_ssd(device, options, Front::Platform)),
        state_(options.state),
        ssd_("ssd", config_.device, options.dram) {
    for (std::uint32_t i = 0; i < config_.device.host.queues; ++i) {
      queues_.push_back(std::make_unique<CountedQueue>(("queue" + std::to_string(i)).c_str(), sector_bytes(), totals_));
      queues_.back()->initiator.bind(ssd_.socket(i));
    }
    SC_HAS_PROCESS(Impl);
    SC_METHOD(restore);
    sensitive << power_back_;
    dont_initialize();
    SC_METHOD(lose_power);
    sensitive << power_lost_;
    dont_initialize();
  }

  BlockTargetSocket& socket(std::uint32_t queue) { return queues_.at(queue)->target; }
  std::uint32_t queues() const { return static_cast<std::uint32_t>(queues_.size()); }
  std::uint64_t capacity_bytes() const { return ssd_.firmware().capacity_bytes(); }
  std::uint32_t sector_bytes() const { return config_.device.host_interface.sector_size; }
  bool ready() const { return ready_; }

  void start() {
    prepare();
    ssd_.runtime().on_failure([this](const std::exception_ptr& failure) { report_failure(name(), failure); });
    if (ssd_.faults() != nullptr) ssd_.faults()->begin();
    ssd_.start_timed();
    ready_ = true;
  }

  void power_cut(const sc_core::sc_time& off) {
    if (!ready_) return;
    ready_ = false;
    off_ = off;
    // Deferred to an event: the SSD may be the caller, in a callback for a completed command.
    if (!config_.device.power.plp) return power_lost_.notify(sc_core::SC_ZERO_TIME);
    ssd_.hold_up([this] { power_lost_.notify(sc_core::SC_ZERO_TIME); });
  }

  nlohmann::ordered_json result() {
    const Picoseconds now = kernel_now();
    ssd_.flash().settle(now);
    ssd_.ledger().finish(now);
    nlohmann::ordered_json json;
    json["schema"] = kSsdSchema;
    json["version"] = flashloom_version();
    json["device"] = {{"name", config_.device.name},
                      {"file", config_.file},
                      {"hash", config_.hash},
                      {"capacity_bytes", capacity_bytes()},
                      {"raw_bytes", ssd_.geometry().raw_bytes()}};
    json["simulated_s"] = seconds(now);
    for (std::size_t i = 0; i < kPlainOperations; ++i)
      json["host"][kIoOperationNames[i]] = {{"ios", totals_.ios[i]}, {"bytes", totals_.bytes[i]}};
    json["flash"] = flash_json(ssd_.flash().counters());
    json["flash_queues"] = flash_queues_json(ssd_.flash());
    json["ftl"] = ftl_json(ssd_, ssd_.flash().counters(), totals_.bytes_of(IoOperation::Write));
    json["wear"] = wear_json(ssd_.media(), ssd_.firmware().ftl().bad_blocks());
    json["reliability"] = reliability_json(ssd_);
    if (ssd_.thermal() != nullptr) json["thermal"] = thermal_json(ssd_);
    json["buffer"] = buffer_json(ssd_);
    json["dram"] = memory_json(ssd_.dram());
    if (ssd_.sram() != nullptr) json["sram"] = memory_json(ssd_.sram());
    if (ssd_.host_memory() != nullptr) json["hmb"] = counters_json(ssd_.host_memory()->counters());
    json["nvram"] = memory_json(ssd_.nvram());
    const EnergyReport books = ssd_.ledger().report();
    json["cpu"] = cpu_json(ssd_.cores(), books);
    json["energy"] = energy_json(books, totals_);
    json["config"] = effective_json(config_.device);
    return json;
  }

 private:
  // Like Simulation::state() and Simulation::precondition(), for an SSD without an oracle.
  void prepare() {
    PreconditionResult done;
    if (state_.empty()) {
      InstantHost host(ssd_.runtime(), ssd_.firmware(), sector_bytes(), nullptr, nullptr);
      Preconditioner(config_.device.precondition, config_.device.seed, host, ssd_.firmware()).run({});
    } else {
      StateReader reader(state_);
      reader(done);
      ssd_.state(reader);
      bool bytes = false;
      reader(bytes);
      reader.part("end");
      reader.finish();
    }
    ssd_.reset_statistics();
  }
  void lose_power() {
    ssd_.power_cut(off_.value());
    power_back_.notify(off_);
  }
  void restore() {
    ssd_.power_on([this] { ready_ = true; });
  }

  LoadedConfig config_;
  std::string state_;
  Ssd ssd_;
  HostTotals totals_{};
  std::vector<std::unique_ptr<CountedQueue>> queues_;
  bool ready_ = false;
  sc_core::sc_time off_;
  sc_core::sc_event power_lost_;
  sc_core::sc_event power_back_;
};

SsdModule::SsdModule(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options)
    : sc_module(name), impl_(std::make_unique<Impl>("device", device, options)) {}
SsdModule::~SsdModule() = default;

BlockTargetSocket& SsdModule::socket(std::uint32_t queue) { return impl_->socket(queue); }
std::uint32_t SsdModule::queues() const { return impl_->queues(); }
std::uint64_t SsdModule::capacity_bytes() const { return impl_->capacity_bytes(); }
std::uint32_t SsdModule::sector_bytes() const { return impl_->sector_bytes(); }
void SsdModule::power_cut(const sc_core::sc_time& off) { impl_->power_cut(off); }
bool SsdModule::ready() const { return impl_->ready(); }
std::string SsdModule::result() { return json_text(impl_->result(), 2) + "\n"; }
void SsdModule::start_of_simulation() { impl_->start(); }

}  // namespace flashloom
