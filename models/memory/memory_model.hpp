// DRAM or NVRAM: a TLM-2.0 base-protocol target that models time and energy, and stores nothing.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/duration_cache.hpp"
#include "models/common/service_observer.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/memory/memory_config.hpp"

namespace flashloom {

/// One port, pipelined: a transaction occupies it for bytes / bandwidth, in order of request, and completes a latency
/// later. Refresh takes its share of the bandwidth. Requests are answered TLM_COMPLETED at once with the completion
/// annotated; a delay annotated by the initiator counts as the time until the request arrives. Exact while requests
/// come in the order of their arrivals; one that comes later but arrives earlier waits behind. b_transport waits. Data
/// pointers may be null and are not followed; byte enables are refused, no DMI.
///
/// Energy: component `name` of kind `kind`: state "standby" (background power and refresh), operations "read" and
/// "write", counted in bytes, rows "KIND.read" and "KIND.write".
class MemoryModel : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  /// `kind` is "dram" or "nvram". Throws std::invalid_argument for size 0 and for a refresh that leaves no time.
  MemoryModel(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind,
              EnergyLedger& ledger);

  tlm::tlm_target_socket<> socket;

  struct Counters {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
  };
  /// Since reset_counters().
  Counters counters() const {
    return {counters_.reads - before_.reads, counters_.writes - before_.writes,
            counters_.read_bytes - before_.read_bytes, counters_.write_bytes - before_.write_bytes};
  }
  /// Counts anew; wear stays.
  void reset_counters() { before_ = counters_; }
  std::uint64_t size() const { return config_.size; }

  /// Bytes a second after refresh; 0 = unlimited.
  std::uint64_t effective_bandwidth() const { return bandwidth_; }

  /// Share of the endurance that is spent, writes spread evenly: bytes written / (size x endurance); 0 if unlimited.
  double wear() const;

  /// Tells `observer` when the port is in use: `what` is 0 for a read, 1 for a write, `amount` bytes.
  void attach(ServiceObserver& observer, std::uint32_t resource) { report_.attach(observer, resource); }

  /// Power cut now: the port is free.
  void drop_all();

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) override;
  unsigned int transport_dbg(tlm::tlm_generic_payload& transaction) override;

  /// Serves a transaction that arrives at `arrival`; returns its completion and sets its response.
  Picoseconds serve(tlm::tlm_generic_payload& transaction, Picoseconds arrival);
  Picoseconds occupancy(std::uint64_t bytes) {
    return durations_.get(bytes, [this](std::uint64_t size) { return transfer_time(size, bandwidth_); });
  }

  MemoryConfig config_;
  std::uint64_t bandwidth_ = 0;
  EnergyMeter* meter_;
  Picoseconds free_ = 0;
  DurationCache durations_;
  Counters counters_;
  Counters before_;
  ServiceReport report_;
};

}  // namespace flashloom
