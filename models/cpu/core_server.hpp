// A core of constant speed.
#pragma once

#include "models/common/fifo_server.hpp"
#include "models/common/service_observer.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Books the service of a core as state "busy".
struct CoreBusy {
  EnergyMeter* meter = nullptr;
  const ServiceReport* report = nullptr;
  void operator()(Picoseconds start, Picoseconds end, std::uint32_t tag) const {
    if (start == end) return;
    meter->busy(1, start, end);
    (*report)(tag, 0, start, end);
  }
};
using CoreServer = FifoServer<CoreBusy>;

}  // namespace flashloom
