// A device file's [cpu] table: the controller's cores and what each firmware step costs on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/quantity.hpp"
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
  WriteCommand,     ///< what a host write costs besides CommandParse
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

  /// The keys of [[cpu.points]].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.key("clock", &OperatingPoint::clock, Quantity::Frequency, {1e6, 1e10}, "clock")
        .key("voltage", &OperatingPoint::voltage, Quantity::Voltage, {0, 20}, "supply; 0 V: not stated")
        .key("active_power", &OperatingPoint::active_power, Quantity::Power, {0, 1000},
             "a core, busy; 0 W with voltages: cpu.active_power by f V^2")
        .key("idle_power", &OperatingPoint::idle_power, Quantity::Power, {0, 1000},
             "a core, waiting; 0 W with voltages: cpu.idle_power by V^2");
  }
};

struct CpuConfig {
  bool ideal = false;  ///< cpu.model = "ideal": steps take no time and no energy
  std::uint32_t cores = 2;
  std::uint64_t clock = 1'000'000'000;  ///< Hz
  /// Core of each group of steps, modulo `cores`.
  std::uint32_t host_core = 0;   ///< CommandParse, WriteCommand, CommandComplete, BufferLookup
  std::uint32_t ftl_core = 1;    ///< MapLookup, MapUpdate, VictimSelect, SetDetect
  std::uint32_t flash_core = 1;  ///< FlashIssue, FlashComplete
  /// Cores that share a group's steps; empty: the single core above.
  std::vector<std::uint32_t> host_cores;
  std::vector<std::uint32_t> ftl_cores;
  std::vector<std::uint32_t> flash_cores;
  /// Choice between them: "round_robin"; "affinity": host commands by queue, the map by logical unit, flash by die;
  /// "least_loaded": the one that ends its work first, of equal ones the first.
  std::string spread = "round_robin";
  std::array<std::uint32_t, kFirmwareSteps> cycles = {300, 200, 60, 60, 80, 150, 100, 500, 0, 0};
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

  /// The keys of [cpu].
  template <class Keys>
  static void describe(Keys& keys) {
    constexpr double kMaxPower = 1000;
    keys.timed_only()
        .choice("model", &CpuConfig::ideal, {"arm", "ideal"}, "ideal: firmware takes no time and no energy")
        .count("cores", &CpuConfig::cores, 1, 64, "cores")
        .key("clock", &CpuConfig::clock, Quantity::Frequency, {1e6, 1e10}, "clock of every core")
        .count("host_core", &CpuConfig::host_core, 0, 63,
               "core of command handling and buffer, modulo the number of cores")
        .count("ftl_core", &CpuConfig::ftl_core, 0, 63, "core of mapping and garbage collection")
        .count("flash_core", &CpuConfig::flash_core, 0, 63, "core of flash scheduling")
        .count("host_cores", &CpuConfig::host_cores, 0, 63,
               "cores that share command handling and buffer; []: host_core has it")
        .samples({"[0]", "[0, 1]"})
        .count("ftl_cores", &CpuConfig::ftl_cores, 0, 63,
               "cores that share mapping and garbage collection; []: ftl_core")
        .samples({"[0]", "[0, 1]"})
        .rare()
        .count("flash_cores", &CpuConfig::flash_cores, 0, 63, "cores that share flash scheduling; []: flash_core")
        .samples({"[0]", "[0, 1]"})
        .common()
        .choice("spread", &CpuConfig::spread, {"round_robin", "affinity", "least_loaded"},
                "which of several cores: each in turn; by host queue, logical unit and die; that which ends its work "
                "first")
        .key("active_power", &CpuConfig::active_power, Quantity::Power, {0, kMaxPower}, "a core, busy")
        .key("idle_power", &CpuConfig::idle_power, Quantity::Power, {0, kMaxPower}, "a core, waiting (WFI)")
        .key("voltage", &CpuConfig::voltage, Quantity::Voltage, {0, 20},
             "at cpu.clock, for the powers of points that state none; 0 V: not stated")
        .choice("governor", &CpuConfig::ondemand, {"fixed", "ondemand"},
                "operating point of a core: cpu.point, or by the busy share of each sample")
        .count("point", &CpuConfig::point, 0, 31, "of cpu.points, from 0: at power-on, and always if fixed")
        .rare()
        .key("up_threshold", &CpuConfig::up_threshold, Quantity::Ratio, {0.01, 1},
             "ondemand: busy share from which on a core takes its fastest point")
        .key("down_threshold", &CpuConfig::down_threshold, Quantity::Ratio, {0, 1},
             "ondemand: busy share up to which it takes the next slower one; below up_threshold")
        .common()
        .time("sampling_interval", &CpuConfig::sampling_interval, 1e6, "ondemand: length of a sample")
        .rare()
        .time("transition_latency", &CpuConfig::transition_latency, 0, "a core stands still while its point changes")
        .common()
        .time("sleep_time", &CpuConfig::sleep_time, 0, "idling so long a core goes to sleep; 0 s: never")
        .key("sleep_power", &CpuConfig::sleep_power, Quantity::Power, {0, kMaxPower}, "a core, asleep")
        .time("wake_latency", &CpuConfig::wake_latency, 0, "from work's arrival until a sleeping core begins it")
        .key("points", &CpuConfig::points,
             "operating points by rising clock, [[cpu.points]]: clock, voltage, active_power, idle_power; none: "
             "cpu.clock with its powers")
        .samples({R"([{ clock = "250 MHz" }, { clock = "1 GHz" }])"});
  }

  /// The keys of [cpu.cycles].
  template <class Keys>
  static void describe_cycles(Keys& keys) {
    constexpr double kMaxCycles = 1e9;
    static_assert(kFirmwareSteps == 10, "a new firmware step needs its key here");
    keys.timed_only()
        .count(
            "command_parse", [](auto& config) -> auto& { return config.cycles[0]; }, 0, kMaxCycles,
            "fetch and decode of a host command")
        .count(
            "command_complete", [](auto& config) -> auto& { return config.cycles[1]; }, 0, kMaxCycles,
            "completion entry and bookkeeping of a host command")
        .count(
            "buffer_lookup", [](auto& config) -> auto& { return config.cycles[2]; }, 0, kMaxCycles,
            "data buffer look-up and list update, each mapping unit")
        .count(
            "map_lookup", [](auto& config) -> auto& { return config.cycles[3]; }, 0, kMaxCycles,
            "L2P look-up, each mapping unit")
        .count(
            "map_update", [](auto& config) -> auto& { return config.cycles[4]; }, 0, kMaxCycles,
            "allocation and L2P update, each mapping unit")
        .count(
            "flash_issue", [](auto& config) -> auto& { return config.cycles[5]; }, 0, kMaxCycles,
            "descriptor of one flash command")
        .count(
            "flash_complete", [](auto& config) -> auto& { return config.cycles[6]; }, 0, kMaxCycles,
            "completion of one flash command")
        .count(
            "victim_select", [](auto& config) -> auto& { return config.cycles[7]; }, 0, kMaxCycles,
            "choice of a GC victim")
        .count(
            "set_detect", [](auto& config) -> auto& { return config.cycles[8]; }, 0, kMaxCycles,
            "search for what belongs together (buffer.correlation), each mapping unit that leaves the buffer")
        .count(
            "write_command", [](auto& config) -> auto& { return config.cycles[9]; }, 0, kMaxCycles,
            "each host write or append, besides command_parse: room, place, what the maker's firmware does for it");
  }
};

/// Throws ConfigProblem for impossible values.
void check_config(const CpuConfig& cpu);

}  // namespace flashloom
