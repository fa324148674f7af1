#include "controllers/nvme/nvme_controller.hpp"

#include <utility>

#include "controllers/nvme/nvme_core.hpp"
#include "controllers/nvme/register_port.hpp"

namespace flashloom {

NvmeController::NvmeController(const sc_core::sc_module_name& name, const NvmeConfig& config, NvmeDevice& device,
                               HostDriver& host, std::uint32_t job)
    : sc_module(name),
      bar0("bar0"),
      configuration("configuration"),
      core_(std::make_unique<Core>(config, device, host, job)),
      registers_(std::make_unique<nvme::RegisterPort>(
          bar0, [this](tlm::tlm_generic_payload& payload) { return core_->access_bar(payload); })),
      pci_(std::make_unique<nvme::RegisterPort>(
          configuration, [this](tlm::tlm_generic_payload& payload) { return core_->access_configuration(payload); })) {}

NvmeController::~NvmeController() = default;

tlm::tlm_initiator_socket<>& NvmeController::dma() { return core_->dma().socket(); }

std::uint64_t NvmeController::bar0_bytes() const { return core_->bar_bytes(); }

void NvmeController::power_cut() { core_->power_cut(); }

void NvmeController::power_on() { core_->power_on(); }

void NvmeController::function_reset() { core_->function_reset(); }

void NvmeController::device_ready() { core_->device_ready(); }

void NvmeController::on_failure(std::function<void(std::exception_ptr)> handler) {
  core_->runtime().on_failure(std::move(handler));
}

std::uint64_t NvmeController::interrupts() const { return core_->interrupts(); }

void NvmeController::raise_vectors_by(std::function<void(std::uint32_t)> raise) {
  core_->vectors().raise_by(std::move(raise));
}

void NvmeController::mask_vector(std::uint32_t vector, bool masked) { core_->vectors().mask(vector, masked); }

std::uint32_t NvmeController::vectors() const { return core_->vectors().count(); }

void NvmeController::on_completion(std::function<void()> handler) { core_->on_completion(std::move(handler)); }

NvmeController::Work NvmeController::work() const { return core_->work(); }

void NvmeController::state(StateArchive& archive) { core_->state(archive); }

}  // namespace flashloom
