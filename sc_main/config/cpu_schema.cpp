// Keys of [cpu], [cpu.cycles] and [[cpu.points]].
#include <cstddef>

#include "sc_main/config/table_builder.hpp"

namespace flashloom {
namespace {

template <std::size_t Step>
std::uint32_t& cycles_of(DeviceConfig& config) {
  static_assert(Step < kFirmwareSteps);
  return config.cpu.cycles[Step];
}

}  // namespace

void describe_cpu(std::vector<ConfigKey>& keys) {
  constexpr double kMaxPower = 1000;
  TableBuilder(keys, "cpu")
      .choice("model", FLASHLOOM_MEMBER(cpu.ideal), {"arm", "ideal"}, "ideal: firmware takes no time and no energy")
      .count("cores", FLASHLOOM_MEMBER(cpu.cores), 1, 64, "cores")
      .key("clock", FLASHLOOM_MEMBER(cpu.clock), Quantity::Frequency, {1e6, 1e10}, "clock of every core")
      .count("host_core", FLASHLOOM_MEMBER(cpu.host_core), 0, 63,
             "core of command handling and buffer, modulo the number of cores")
      .count("ftl_core", FLASHLOOM_MEMBER(cpu.ftl_core), 0, 63, "core of mapping and garbage collection")
      .count("flash_core", FLASHLOOM_MEMBER(cpu.flash_core), 0, 63, "core of flash scheduling")
      .count("host_cores", FLASHLOOM_MEMBER(cpu.host_cores), 0, 63,
             "cores that share command handling and buffer; []: host_core has it")
      .count("ftl_cores", FLASHLOOM_MEMBER(cpu.ftl_cores), 0, 63,
             "cores that share mapping and garbage collection; []: ftl_core")
      .count("flash_cores", FLASHLOOM_MEMBER(cpu.flash_cores), 0, 63,
             "cores that share flash scheduling; []: flash_core")
      .choice("spread", FLASHLOOM_MEMBER(cpu.affinity), {"round_robin", "affinity"},
              "which of several cores: each in turn, or by host queue, logical unit and die")
      .key("active_power", FLASHLOOM_MEMBER(cpu.active_power), Quantity::Power, {0, kMaxPower}, "a core, busy")
      .key("idle_power", FLASHLOOM_MEMBER(cpu.idle_power), Quantity::Power, {0, kMaxPower}, "a core, waiting (WFI)")
      .key("voltage", FLASHLOOM_MEMBER(cpu.voltage), Quantity::Voltage, {0, 20},
           "at cpu.clock, for the powers of points that state none; 0 V: not stated")
      .choice("governor", FLASHLOOM_MEMBER(cpu.ondemand), {"fixed", "ondemand"},
              "operating point of a core: cpu.point, or by the busy share of each sample")
      .count("point", FLASHLOOM_MEMBER(cpu.point), 0, 31, "of cpu.points, from 0: at power-on, and always if fixed")
      .key("up_threshold", FLASHLOOM_MEMBER(cpu.up_threshold), Quantity::Ratio, {0.01, 1},
           "ondemand: busy share from which on a core takes its fastest point")
      .key("down_threshold", FLASHLOOM_MEMBER(cpu.down_threshold), Quantity::Ratio, {0, 1},
           "ondemand: busy share up to which it takes the next slower one; below up_threshold")
      .time("sampling_interval", FLASHLOOM_MEMBER(cpu.sampling_interval), 1e6, "ondemand: length of a sample")
      .time("transition_latency", FLASHLOOM_MEMBER(cpu.transition_latency), 0,
            "a core stands still while its point changes")
      .time("sleep_time", FLASHLOOM_MEMBER(cpu.sleep_time), 0, "idling so long a core goes to sleep; 0 s: never")
      .key("sleep_power", FLASHLOOM_MEMBER(cpu.sleep_power), Quantity::Power, {0, kMaxPower}, "a core, asleep")
      .time("wake_latency", FLASHLOOM_MEMBER(cpu.wake_latency), 0,
            "from work's arrival until a sleeping core begins it")
      .key("points", FLASHLOOM_MEMBER(cpu.points),
           "operating points by rising clock, [[cpu.points]]: clock, voltage, active_power, idle_power; none: "
           "cpu.clock with its powers");
  constexpr double kMaxCycles = 1e9;
  static_assert(kFirmwareSteps == 9, "a new firmware step needs its key here");
  TableBuilder(keys, "cpu.cycles")
      .count("command_parse", cycles_of<0>, 0, kMaxCycles, "fetch and decode of a host command")
      .count("command_complete", cycles_of<1>, 0, kMaxCycles, "completion entry and bookkeeping of a host command")
      .count("buffer_lookup", cycles_of<2>, 0, kMaxCycles, "data buffer look-up and list update, each mapping unit")
      .count("map_lookup", cycles_of<3>, 0, kMaxCycles, "L2P look-up, each mapping unit")
      .count("map_update", cycles_of<4>, 0, kMaxCycles, "allocation and L2P update, each mapping unit")
      .count("flash_issue", cycles_of<5>, 0, kMaxCycles, "descriptor of one flash command")
      .count("flash_complete", cycles_of<6>, 0, kMaxCycles, "completion of one flash command")
      .count("victim_select", cycles_of<7>, 0, kMaxCycles, "choice of a GC victim")
      .count("set_detect", cycles_of<8>, 0, kMaxCycles,
             "search for what belongs together (buffer.correlation), each mapping unit that leaves the buffer");
}

std::vector<ConfigKey> describe_operating_point() {
  std::vector<ConfigKey> keys;
  TableBuilder(keys, "cpu.points")
      .key("clock", FLASHLOOM_MEMBER(cpu.points.front().clock), Quantity::Frequency, {1e6, 1e10}, "clock")
      .key("voltage", FLASHLOOM_MEMBER(cpu.points.front().voltage), Quantity::Voltage, {0, 20},
           "supply; 0 V: not stated")
      .key("active_power", FLASHLOOM_MEMBER(cpu.points.front().active_power), Quantity::Power, {0, 1000},
           "a core, busy; 0 W with voltages: cpu.active_power by f V^2")
      .key("idle_power", FLASHLOOM_MEMBER(cpu.points.front().idle_power), Quantity::Power, {0, 1000},
           "a core, waiting; 0 W with voltages: cpu.idle_power by V^2");
  return keys;
}

}  // namespace flashloom
