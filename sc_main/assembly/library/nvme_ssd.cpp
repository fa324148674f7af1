#include "sc_main/assembly/library/nvme_ssd.hpp"

#include <nlohmann/json.hpp>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/library/embedded_device.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/assembly/system/nvme_system.hpp"

namespace flashloom {
namespace {

// Switches verify on, since the oracle's tokens represent the bytes inside the drive.
LoadedConfig load_nvme_ssd(const std::string& device, SsdOptions options) {
  options.overrides.emplace_back("verify=true");
  return load_ssd(device, options, Front::NvmeController);
}

}  // namespace

class NvmeSsdModule::Impl {
 public:
  Impl(const std::string& device, const SsdOptions& options)
      : config_(load_nvme_ssd(device, options)),
        state_(options.state),
        simulation_(config_.device, {.foreign_dram = options.dram, .foreign_modules = true, .bytes = true}),
        nvme_(config_.device, simulation_) {}

  NvmeController& controller() { return nvme_.controller(); }
  std::uint64_t capacity_bytes() const { return simulation_.capacity_bytes(); }

  void start(const std::string& module) {
    const auto state = state_.empty() ? nullptr : std::make_unique<StateReader>(state_);
    precondition_ = begin_state(simulation_, state.get());
    simulation_.on_failure([module](const std::exception_ptr& failure) { report_failure(module, failure); });
    std::vector<HostJob> jobs;
    jobs.push_back(nvme_.job());
    simulation_.start(std::move(jobs), [] {});
  }

  nlohmann::ordered_json result() {
    simulation_.host().end_front(0);
    simulation_.finish();
    nlohmann::ordered_json json = make_result(config_, platform_workload(), precondition_, simulation_);
    const Oracle& oracle = *simulation_.oracle();
    json["verify"] = verify_result(oracle, 0);
    if (oracle.mismatches() != 0) throw SimulationFailure("data did not verify: " + oracle.first_mismatch());
    return json;
  }

 private:
  LoadedConfig config_;
  std::string state_;
  Simulation simulation_;
  NvmeSystem nvme_;
  PreconditionResult precondition_;
};

NvmeSsdModule::NvmeSsdModule(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options)
    : sc_module(name), impl_(std::make_unique<Impl>(device, options)) {}
NvmeSsdModule::~NvmeSsdModule() = default;

tlm::tlm_target_socket<>& NvmeSsdModule::bar0() { return impl_->controller().bar0; }
tlm::tlm_target_socket<>& NvmeSsdModule::configuration() { return impl_->controller().configuration; }
tlm::tlm_initiator_socket<>& NvmeSsdModule::dma() { return impl_->controller().dma(); }
std::uint64_t NvmeSsdModule::bar0_bytes() const { return impl_->controller().bar0_bytes(); }
std::uint64_t NvmeSsdModule::capacity_bytes() const { return impl_->capacity_bytes(); }
std::string NvmeSsdModule::result() { return json_text(impl_->result(), 2) + "\n"; }
void NvmeSsdModule::start_of_simulation() { impl_->start(name()); }

}  // namespace flashloom
