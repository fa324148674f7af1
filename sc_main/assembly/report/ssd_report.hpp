// The parts of a result about an SSD, independent of hosts and workloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "controllers/host/host_statistics.hpp"
#include "models/energy/energy_ledger.hpp"
#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

/// Operations by origin.
nlohmann::ordered_json flash_json(const FlashCounters& counters);
/// Waits of flash commands: reads, programs and erases, by origin.
inline constexpr std::size_t kQueuedOperations = 3;
using FlashQueueWaits = std::array<std::array<QueueWait, kOrigins>, kQueuedOperations>;
/// The waits so far.
FlashQueueWaits flash_queue_waits(const TimedFlash& flash);
/// Waits of flash commands for the bus since `before`; maxima are since the run began. Origins without commands are
/// left out.
nlohmann::ordered_json flash_queues_json(const TimedFlash& flash, const FlashQueueWaits& before = {});
/// `written_bytes`: written to the SSD, the denominator of the write amplification.
nlohmann::ordered_json ftl_json(const Ssd& ssd, const FlashCounters& counters, std::uint64_t written_bytes);
/// Counts since the begin of the device's life, or its last mount.
nlohmann::ordered_json zones_json(const Zones& zones);
nlohmann::ordered_json buffer_json(const Ssd& ssd);
/// `host`: bytes and I/Os of the host, for joules per gigabyte and per I/O.
nlohmann::ordered_json energy_json(const EnergyReport& report, const HostTotals& host);
/// `write_amplification` of result.json; `device`: bytes programmed over bytes that the host wrote.
nlohmann::ordered_json write_amplification_json(const HostTotals& host, double device);

}  // namespace flashloom
