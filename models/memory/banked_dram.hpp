// DRAM with banks, rows and refresh.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/common/duration_cache.hpp"
#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/memory/memory_config.hpp"
#include "models/memory/memory_sleep.hpp"
#include "models/memory/memory_target.hpp"

namespace flashloom {

/// One rank behind an in-order controller with an open-page policy: a row stays open until a request needs another row
/// of its bank, or a refresh closes all rows. Addresses map to row, bank, column, from the high bits to the low ones,
/// so that a stream visits the banks row by row.
///
/// A transaction is split at row boundaries; each piece finds its row open (hit), its bank closed (miss) or another row
/// open (conflict), and the rest of its bursts are hits. Columns and activates go in request order; an activate may go
/// while data of the piece before it, or of earlier requests, are still on the bus. Modelled: tRCD,
/// tRP, tRAS (so tRC), CL, CWL, tRTP, tWR, tWTR, tRRD, tFAW. Not modelled: tCCD_L (bank groups are assumed to
/// alternate), the read-to-write turnaround beyond CL - CWL, command bus conflicts.
///
/// Refresh (all banks) is due at each multiple of tREFI, waits for columns under way, closes the rows (tRP if any is
/// open) and takes tRFC; requests that arrive meanwhile wait. So a refresh is postponed by the data of one row at most;
/// JEDEC allows eight tREFI. No event: everything is a reservation of bank and bus, exact while requests come in the
/// order of their arrivals.
///
/// Power-down and self-refresh (MemorySleep): the controller first closes all rows (tRP), so the next access must open
/// its row. No refresh is due in self-refresh; the next one is due at the first multiple of tREFI after it.
///
/// Energy, after Micron's TN-41-01: component `name` of kind "dram": state "standby" (precharge standby and the mean of
/// refresh), operations "activate" (a pair of activate and precharge), "read" and "write" (bytes of whole bursts) and
/// "open" (picoseconds in which a row was open, at the extra power of active standby), rows "dram.activate", ...
class BankedDram final : public MemoryTarget {
 public:
  /// Throws std::invalid_argument for a size of 0, no banks, rows that are not a multiple of a burst, an unlimited
  /// bandwidth, or a refresh that leaves no time for accesses.
  BankedDram(const sc_core::sc_module_name& name, const DramConfig& config, EnergyLedger& ledger);

  struct Rows {
    std::uint64_t hits = 0;       ///< bursts that found their row open
    std::uint64_t misses = 0;     ///< bursts that found their bank closed
    std::uint64_t conflicts = 0;  ///< bursts that had to close another row
    std::uint64_t refreshes = 0;
    std::uint64_t refresh_waits = 0;    ///< pieces that had to wait for a refresh
    Picoseconds refresh_wait_time = 0;  ///< total time of these waits
    std::uint64_t bursts() const { return hits + misses + conflicts; }
    template <class F>
    void report(F&& f) const {
      f("bursts", bursts());
      f(FLASHLOOM_NAMED(hits, misses, conflicts, refreshes, refresh_waits));
      f("refresh_wait_s", seconds(refresh_wait_time));
    }
  };
  static PowerFigures power_figures(const DramConfig& config);

  /// Since reset_counters().
  Rows rows() const;
  void reset_counters() override;

  void drop_all(Picoseconds off_time) override;
  void settle(Picoseconds now) override;

 private:
  struct Bank {
    std::uint64_t row = kNoRow;
    Picoseconds column_ready = 0;     // earliest read or write
    Picoseconds precharge_ready = 0;  // earliest precharge
  };
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

  Picoseconds serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) override;
  Picoseconds access(std::uint64_t row_number, std::uint32_t bursts, bool write, Picoseconds ready);
  void activate(Bank& bank, Picoseconds from);
  void refresh(Picoseconds until);
  void close_rows(Picoseconds at);
  IdleStates::In sleep_until(Picoseconds until);
  void finish(Picoseconds end);
  Picoseconds data_time(std::uint32_t bursts) {
    return durations_.get(bursts, [this](std::uint64_t n) { return transfer_time(n * timing_.burst, bandwidth_); });
  }

  DramTiming timing_;
  std::uint64_t bandwidth_;
  Picoseconds controller_latency_;
  Picoseconds refresh_interval_;
  Picoseconds refresh_time_;
  Divisor burst_;
  Divisor row_;    // bursts
  Divisor banks_;  // rows
  EnergyMeter* meter_;
  DurationCache durations_;
  std::vector<Bank> bank_;
  bool rows_open_ = false;
  Picoseconds open_since_ = 0;
  Picoseconds bus_free_ = 0;
  Picoseconds write_end_ = 0;
  Picoseconds refreshed_ = 0;  // end of the last refresh
  Picoseconds next_refresh_;
  std::array<Picoseconds, 4> activates_{};  // end of the tFAW window that each of the last four begins
  std::uint32_t oldest_activate_ = 0;
  Picoseconds row_row_ready_ = 0;
  MemorySleep sleep_;
  Picoseconds asleep_from_ = 0;  // end of the last idle time's refreshes and row closing
  Rows rows_;
  Rows before_;
};

}  // namespace flashloom
