// The host link (PCIe or SATA) as the device sees it: host memory behind a pair of wires.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "models/common/duration_cache.hpp"
#include "models/common/prompt_memory.hpp"
#include "models/common/service_observer.hpp"
#include "models/common/time_loop.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/energy/idle_states.hpp"
#include "models/energy/power_budget.hpp"
#include "models/link/link_config.hpp"

namespace flashloom {

/// A memory-socket target that stands for host memory: the device reads it (host to device, Down) and writes it
/// (device to host, Up). Each direction is a first-come-first-served pipe of its own; SATA has one for both, since
/// frames go one way at a time (Serial ATA Revision 3.1, chapter 9, link layer). A transfer of b bytes occupies it
/// for (b + packets x overhead) / rate, packets = ceil(b / max_payload), and arrives one latency later. Answers
/// TLM_COMPLETED at once with the completion annotated; a delay annotated by the initiator is the time until the
/// transfer is ready. Exact while calls come in order of readiness; a transfer announced later but ready earlier waits
/// behind. Stores nothing: data pointers are not followed. With kind "ideal" nothing takes time or
/// energy.
///
/// Energy, kind "link": component NAME (state idle: idle_power at all times) and NAME.down, NAME.up (active_power while
/// moving data, row "link"; operation "byte", of what is on the wires). Each of these draws half of lane_power a lane.
///
/// Active state power management (PCI Express Base Specification, 5.4.1): each direction that has been idle for
/// l0s_time enters L0s; both enter L1 when both have been idle for l1_time, and leave it together. The transfer that
/// ends the state begins one exit latency later. No event: the link's past state is worked out at the next transfer. If
/// that transfer becomes ready in the future, the link is assumed to wake for it; transfers of the other direction in
/// between wait until it has. SATA's Partial or Slumber is L1 here.
class HostLink : public sc_core::sc_module, public PromptMemory {
 public:
  enum class Direction : std::uint8_t { Down, Up };  ///< host to device, device to host

  /// Throws std::invalid_argument for an unknown kind, generation outside 1..6, no lanes, no payload or no rate.
  HostLink(const sc_core::sc_module_name& name, const LinkConfig& config, EnergyLedger& ledger);

  tlm::tlm_target_socket<> socket;

  /// Bytes a second each way after line coding, packet overhead included; 0 = unlimited (ideal).
  std::uint64_t transfer_rate_bytes_per_s() const { return rate_; }
  /// The same without packet overhead, for full packets.
  std::uint64_t payload_rate_bytes_per_s() const;

  /// `bytes` plus the overhead of their packets, before line coding.
  std::uint64_t wire_bytes(std::uint64_t bytes) const;
  /// Time that `bytes` keep a direction busy.
  Picoseconds duration(std::uint64_t bytes) const;

  /// Moves `bytes` that become ready `arrival_delay` from now; returns the time from now until they have arrived.
  Picoseconds transfer(Direction direction, std::uint64_t bytes, Picoseconds arrival_delay = 0) {
    const Picoseconds now = kernel_now();
    return move(direction, 0, bytes, now + arrival_delay) - now;
  }

  /// From now on limits the use of each direction to this share of the time, 0 to 1, by an idle time after each
  /// transfer. Throughput falls with it; latencies of single transfers and energy do not.
  void throttle(double share) {
    rest_ = 1 / share - 1;
    plain_ = is_plain();
  }

  std::uint64_t bytes_moved(Direction direction) const { return pipe(direction).bytes; }
  /// Time for which a direction was, or is already reserved to be, busy.
  Picoseconds busy_time(Direction direction) const { return pipe(direction).busy; }

  /// From now on counts operation 0 of `meter`, of `joules`, for each byte at kHostData, drawn evenly over the time of its
  /// transfer. Nothing with kind "ideal".
  void charge_data(EnergyMeter& meter, double joules) {
    data_meter_ = &meter;
    data_energy_ = joules;
    plain_ = is_plain();
  }

  /// From now on what transfers draw by the byte is booked at `budget`: transfers move in pieces, which begin when it
  /// allows. Nothing with kind "ideal", and nothing while bytes cost nothing. Called after charge_data().
  void keep_to(PowerBudget& budget);

  /// Tells `observer` when a direction is in use: `what` is the Direction, `amount` bytes. Nothing with kind "ideal".
  void attach(Direction direction, ServiceObserver& observer, std::uint32_t resource) {
    pipe(direction).report.attach(observer, resource);
  }

  /// Power cut now: both directions are free.
  void drop_all();

  /// Books the states of the link up to `now`; call it before reading energy.
  void settle(Picoseconds now);

  static const char* name_of(Direction direction) { return direction == Direction::Down ? "down" : "up"; }
  /// Of the component NAME, and of NAME.down and NAME.up.
  static PowerFigures power_figures(const LinkConfig& config);
  static PowerFigures pipe_figures(const LinkConfig& config, Direction direction);

 private:
  struct Pipe {
    EnergyMeter* meter = nullptr;
    Picoseconds own_free = 0;
    Picoseconds* free = &own_free;  ///< when it may be used again; half-duplex: of both directions
    Picoseconds busy = 0;
    std::uint64_t bytes = 0;
    ServiceReport report;
    IdleStates idle{2, 3};
    Picoseconds idle_from = 0;  ///< end of the last transfer, or of the last L1 or time off
  };
  Picoseconds l1_entry() const;
  IdleStates::In settle(Pipe& way, Picoseconds until);
  [[gnu::cold]] Picoseconds wake(Pipe& way, Picoseconds start);
  void power_off(Picoseconds from, Picoseconds to);
  Pipe& pipe(Direction direction) { return pipes_[static_cast<std::size_t>(direction)]; }
  const Pipe& pipe(Direction direction) const { return pipes_[static_cast<std::size_t>(direction)]; }

  Picoseconds serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) override;
  Picoseconds move(Direction direction, std::uint64_t address, std::uint64_t bytes, Picoseconds ready);
  Picoseconds move_slow_path(Direction direction, std::uint64_t address, std::uint64_t bytes, Picoseconds ready);
  Picoseconds occupy_in_pieces(Pipe& way, Direction direction, bool data, std::uint64_t bytes, Picoseconds start);
  Picoseconds occupy_with_energy(Pipe& way, Direction direction, bool data, std::uint64_t bytes, Picoseconds start);
  Picoseconds occupy(Pipe& way, Direction direction, std::uint64_t bytes, Picoseconds start);
  bool is_plain() const {
    return !ideal_ && !sleeps_ && config_.transfer_energy == 0 && data_meter_ == nullptr && budget_ == nullptr &&
           rest_ == 0;
  }

  LinkConfig config_;
  bool ideal_;
  bool sleeps_;
  EnergyMeter* data_meter_ = nullptr;
  double data_energy_ = 0;
  PowerBudget* budget_ = nullptr;
  std::array<std::uint64_t, 2> microwatts_{};  // that a direction books; [1]: for data
  double rest_ = 0;                            // behind a transfer, in its durations
  bool plain_;                                 // a transfer takes its time, and nothing else happens
  std::uint64_t rate_ = 0;
  Picoseconds awake_ = 0;  // end of the last exit from L1
  DurationCache durations_;
  std::array<Pipe, 2> pipes_;
};

}  // namespace flashloom
