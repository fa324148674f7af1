// A device file's [cpu] table: the controller's cores and what each firmware step costs on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Firmware steps that cost cycles. Names in configuration: the snake_case form, in [cpu.cycles].
enum class FirmwareStep : std::uint8_t {
  CommandParse,     ///< fetch and decode of a host command
  CommandComplete,  ///< completion entry and bookkeeping of a host command
  BufferLookup,     ///< data buffer look-up and list update, for each mapping unit
  MapLookup,        ///< L2P look-up, for each mapping unit
  MapUpdate,        ///< allocation and L2P update, for each mapping unit
  FlashIssue,       ///< descriptor of one flash command
  FlashComplete,    ///< completion of one flash command
  VictimSelect,     ///< choice of a GC victim
  SetDetect,        ///< detection of correlated pages (buffer.correlation), for each page that leaves
  Count
};
inline constexpr std::size_t kFirmwareSteps = static_cast<std::size_t>(FirmwareStep::Count);

/// [[cpu.points]]: a pair of clock and voltage that a core can run at (DVFS).
struct OperatingPoint {
  std::uint64_t clock = 1'000'000'000;  ///< Hz
  double voltage = 0;                   ///< V; 0 = not stated
  /// W a core, busy and waiting. 0 with a voltage: from cpu.active_power x clock / cpu.clock x (voltage /
  /// cpu.voltage)^2 and cpu.idle_power x (voltage / cpu.voltage)^2, as dynamic power goes with f V^2.
  double active_power = 0;
  double idle_power = 0;
};

struct CpuConfig {
  bool ideal = false;  ///< cpu.model = "ideal": steps take no time and no energy
  std::uint32_t cores = 2;
  std::uint64_t clock = 1'000'000'000;  ///< Hz
  /// Core of each group of steps, modulo `cores`.
  std::uint32_t host_core = 0;   ///< CommandParse, CommandComplete, BufferLookup
  std::uint32_t ftl_core = 1;    ///< MapLookup, MapUpdate, VictimSelect, SetDetect
  std::uint32_t flash_core = 1;  ///< FlashIssue, FlashComplete
  /// Cores that share a group's steps; empty: the single core above.
  std::vector<std::uint32_t> host_cores;
  std::vector<std::uint32_t> ftl_cores;
  std::vector<std::uint32_t> flash_cores;
  /// Choice between them: "round_robin", or "affinity": host commands by queue, the map by logical unit, flash by die.
  bool affinity = false;
  std::array<std::uint32_t, kFirmwareSteps> cycles = {300, 200, 60, 60, 80, 150, 100, 500, 0};
  double active_power = 0.25;  ///< W a core, busy
  double idle_power = 0.02;    ///< W a core, idle (WFI: clock gated)
  double voltage = 0;          ///< V at `clock`; 0 = not stated

  std::vector<OperatingPoint> points;  ///< by rising clock; empty: a single point of clock, active_power and idle_power
  bool ondemand = false;               ///< cpu.governor: "fixed" or "ondemand"
  std::uint32_t point = 0;             ///< of `points`: the one at power-on; with "fixed" permanently
  double up_threshold = 0.8;           ///< busy share of a sample at or above which a core takes its fastest point
  double down_threshold = 0.3;         ///< busy share at or below which it takes the next slower one
  Picoseconds sampling_interval = 10 * kMillisecond;
  Picoseconds transition_latency = 50 * kMicrosecond;  ///< stall of a core while its clock changes
  Picoseconds sleep_time = 0;                          ///< idle time before a core sleeps; 0 = never
  double sleep_power = 0;                              ///< W a core
  Picoseconds wake_latency = 0;                        ///< from a job's arrival to its start

  /// Whether a core's speed or start latency depends on its past.
  bool governed() const { return !points.empty() || sleep_time != 0; }
};

/// Throws ConfigProblem for impossible values.
void check_config(const CpuConfig& cpu);

}  // namespace flashloom
