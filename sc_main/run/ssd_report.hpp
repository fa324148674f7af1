// What an SSD did: the parts of a result that know nothing of hosts and workloads.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "controllers/host/host_statistics.hpp"
#include "models/energy/energy_ledger.hpp"
#include "sc_main/system/ssd.hpp"

namespace flashloom {

/// Operations by origin.
nlohmann::ordered_json flash_json(const FlashCounters& counters);
/// Waits of flash commands before they got the bus, by operation and by origin; origins without commands are left out.
nlohmann::ordered_json flash_queues_json(const TimedFlash& flash);
/// `written_bytes`: by the host, for the write amplification.
nlohmann::ordered_json ftl_json(const Ssd& ssd, const FlashCounters& counters, std::uint64_t written_bytes);
/// Since the begin of the device's life, or its last mount.
nlohmann::ordered_json zones_json(const Zones& zones);
nlohmann::ordered_json buffer_json(const Ssd& ssd);
/// `host`: what was done for it, for joules a gigabyte and an I/O.
nlohmann::ordered_json energy_json(const EnergyReport& report, const HostTotals& host);

}  // namespace flashloom
