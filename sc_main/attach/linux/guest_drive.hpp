// A modelled drive in a PCI slot.
#pragma once

#include <systemc>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/system/nvme_system.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/attach/linux/pci_port.hpp"

namespace flashloom {

/// Bound to `slot` for its lifetime. `config` outlives it.
class GuestDrive {
 public:
  GuestDrive(const DeviceConfig& config, PciPort& slot, const Simulation::Parts& parts = {.bytes = true})
      : simulation_(config, parts), nvme_(config, simulation_) {
    slot.bar0.bind(nvme_.controller().bar0);
    slot.configuration.bind(nvme_.controller().configuration);
    nvme_.controller().dma().bind(slot.memory);
  }

  Simulation& simulation() { return simulation_; }
  NvmeSystem& nvme() { return nvme_; }

 private:
  Simulation simulation_;
  NvmeSystem nvme_;
};

/// Gives the SystemC modules of each of several drives a distinct parent name.
class NamedGuestDrive : public sc_core::sc_module {
 public:
  NamedGuestDrive(const sc_core::sc_module_name& name, const DeviceConfig& config, PciPort& slot)
      : sc_module(name), drive(config, slot) {}
  GuestDrive drive;
};

}  // namespace flashloom
