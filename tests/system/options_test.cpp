// Each option, changed alone, changes the figure that it should, in the right direction.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/experiment.hpp"

namespace flashloom::options_test {
namespace {

using Figure = std::function<double(const Json&)>;

double mean_latency(const Json& result, const char* operation) {
  return result["host"][operation]["latency_ns"]["mean"].get<double>();
}
double read_latency(const Json& result) { return mean_latency(result, "read"); }
double write_latency(const Json& result) { return mean_latency(result, "write"); }
double shortest_write(const Json& result) { return result["latency_ps"]["write"][0].get<double>(); }
double length(const Json& result) { return result["end_ps"].get<double>(); }
double moved(const Json& result) { return result["ftl_statistics"]["units_moved"].get<double>(); }
double write_hits(const Json& result) { return result["buffer_statistics"]["write_hits"].get<double>(); }
double free_blocks_min(const Json& result) { return result["ftl_statistics"]["free_blocks_min"].get<double>(); }
double longest_queue(const Json& result) { return result["flash_queues"]["longest"].get<double>(); }
double slat(const Json& result) { return result["host"]["read"]["slat_ns"]["mean"].get<double>(); }
Figure joules(const std::string& operation) {
  return [operation](const Json& result) { return result["energy"]["operations"].at(operation)["j"].get<double>(); };
}
double background(const Json& result) { return result["energy"]["background_j"].get<double>(); }
Figure joules_of(const std::string& kind) {
  return [kind](const Json& result) {
    double sum = 0;
    for (const Json& component : result["energy"]["components"])
      if (component["kind"] == kind) sum += component["j"].get<double>();
    return sum;
  };
}
double busiest_core(const Json& result) {
  double most = 0;
  for (const Json& core : result["utilization"]["cores"]) most = std::max(most, core.get<double>());
  return most;
}

enum class Load { Mixed, Reads, Writes, TimedReads, Cut };

struct Option {
  const char* name;
  std::vector<std::string> less;  ///< with these overrides the figure is lower
  std::vector<std::string> more;  ///< than with these
  Figure figure;
  Load load = Load::Mixed;
  std::uint32_t iodepth = 4;
};

const std::vector<Option>& options() {
  static const std::vector<Option> all = {
      {"host_submit_latency", {}, {"host.submit_latency=5 us"}, read_latency, Load::Reads, 1},
      {"host_complete_latency", {}, {"host.complete_latency=5 us"}, read_latency, Load::Reads, 1},
      {"host_speedup", {"host.speedup=4.0"}, {}, length, Load::TimedReads},
      {"link_generation", {"link.generation=5"}, {"link.generation=1"}, read_latency, Load::Reads, 1},
      {"link_lanes", {"link.lanes=16"}, {"link.lanes=1"}, read_latency, Load::Reads, 1},
      {"link_latency", {"link.latency=100 ns"}, {"link.latency=10 us"}, read_latency, Load::Reads, 1},
      {"link_packet_overhead",
       {"link.packet_overhead=0 B"},
       {"link.packet_overhead=256 B"},
       read_latency,
       Load::Reads,
       1},
      {"link_max_payload", {"link.max_payload=4096 B"}, {"link.max_payload=64 B"}, read_latency, Load::Reads, 1},
      {"link_kind", {"link.kind=ideal"}, {}, read_latency, Load::Reads, 1},
      {"link_active_power", {}, {"link.active_power=5 W"}, joules("link")},
      {"link_idle_power", {}, {"link.idle_power=5 W"}, background},
      {"queue_depth", {}, {"host_interface.queue_depth=1"}, slat, Load::Mixed, 16},
      {"commands", {}, {"host_interface.commands=1"}, read_latency, Load::Mixed, 16},
      {"cpu_model", {"cpu.model=ideal"}, {}, read_latency, Load::Reads, 1},
      {"cpu_clock", {"cpu.clock=2 GHz"}, {"cpu.clock=50 MHz"}, read_latency, Load::Reads, 1},
      {"cpu_cores",
       {"cpu.cores=2", "cpu.clock=20 MHz"},
       {"cpu.cores=1", "cpu.clock=20 MHz"},
       read_latency,
       Load::Mixed,
       16},
      {"cpu_ftl_core",
       {"cpu.clock=20 MHz", "cpu.ftl_core=1"},
       {"cpu.clock=20 MHz", "cpu.ftl_core=0", "cpu.flash_core=0"},
       busiest_core,
       Load::Mixed,
       16},
      {"cpu_host_core", {"cpu.clock=20 MHz"}, {"cpu.clock=20 MHz", "cpu.host_core=1"}, busiest_core, Load::Mixed, 16},
      {"cpu_active_power", {}, {"cpu.active_power=9 W"}, joules("cpu")},
      {"cpu_idle_power", {}, {"cpu.idle_power=9 W"}, background},
      {"dram_bandwidth", {"dram.bandwidth=8 GB/s"}, {"dram.bandwidth=20 MB/s"}, read_latency, Load::Reads, 1},
      {"dram_read_latency", {}, {"dram.read_latency=20 us"}, read_latency, Load::Reads, 1},
      {"dram_write_latency", {}, {"dram.write_latency=20 us"}, shortest_write},
      {"dram_refresh",
       {"dram.bandwidth=20 MB/s"},
       {"dram.bandwidth=20 MB/s", "dram.refresh_time=3 us"},
       read_latency,
       Load::Reads,
       1},
      {"dram_read_energy", {}, {"dram.read_energy=10 nJ/B"}, joules("dram.read")},
      {"dram_write_energy", {}, {"dram.write_energy=10 nJ/B"}, joules("dram.write")},
      {"dram_refresh_energy", {}, {"dram.refresh_energy=9 uJ"}, background},
      {"dram_background_power", {}, {"dram.background_power=3 W"}, joules_of("dram")},
      {"map_location",
       {},
       {"ftl.map_location=nvram", "nvram.kind=pcm", "nvram.size=1 MiB", "nvram.read_latency=30 us"},
       read_latency,
       Load::Reads,
       1},
      {"nvram_kind",
       {"nvram.kind=stt_mram", "nvram.size=1 MiB", "ftl.map_location=nvram"},
       {"nvram.kind=pcm", "nvram.size=1 MiB", "ftl.map_location=nvram"},
       read_latency,
       Load::Reads,
       1},
      {"buffer_size", {"buffer.size=32 KiB"}, {"buffer.size=1 MiB"}, write_hits},
      {"buffer_mode", {}, {"buffer.mode=write_through"}, write_latency},
      {"destage_units", {"buffer.destage_units=32"}, {"buffer.destage_units=1"}, length, Load::Writes, 32},
      {"over_provisioning", {"ftl.over_provisioning=1.5"}, {"ftl.over_provisioning=0.8"}, moved, Load::Writes},
      {"logical_size", {"ftl.logical_size=1 MiB"}, {"ftl.logical_size=2 MiB"}, moved, Load::Writes},
      {"gc_low",
       {"nand.blocks=32", "ftl.gc_low=1", "ftl.gc_high=8"},
       {"nand.blocks=32", "ftl.gc_low=5", "ftl.gc_high=8"},
       free_blocks_min,
       Load::Writes},
      {"gc_high",
       {"nand.blocks=32", "ftl.gc_low=2", "ftl.gc_high=3"},
       {"nand.blocks=32", "ftl.gc_low=2", "ftl.gc_high=12"},
       moved,
       Load::Writes},
      {"arbitration_bound",
       {"ftl.arbitration={ name = \"read_first\", bound = 1000 }"},
       {"ftl.arbitration={ name = \"read_first\", bound = 0 }"},
       read_latency,
       Load::Mixed,
       32},
      {"arbitration_read_first",
       {"ftl.arbitration=read_first"},
       {"ftl.arbitration=fifo"},
       read_latency,
       Load::Mixed,
       32},
      {"arbitration_out_of_order",
       {"ftl.arbitration=out_of_order"},
       {"ftl.arbitration=fifo"},
       read_latency,
       Load::Mixed,
       32},
      {"arbitration_rank",
       {"ftl.arbitration=out_of_order"},
       {"ftl.arbitration={ name = \"out_of_order\", host_read = 7 }"},
       read_latency,
       Load::Mixed,
       32},
      {"arbitration_bound_out_of_order",
       {"ftl.arbitration=out_of_order"},
       {"ftl.arbitration={ name = \"out_of_order\", bound = 1 }"},
       read_latency,
       Load::Mixed,
       32},
      {"arbitration_max_wait",
       {"ftl.arbitration=out_of_order"},
       {"ftl.arbitration={ name = \"out_of_order\", max_wait = \"1 us\" }"},
       read_latency,
       Load::Mixed,
       32},
      {"queue_limit", {"ftl.queue_limit=2"}, {}, longest_queue, Load::Mixed, 32},
      {"cap_dies", {}, {"power.cap_dies=1"}, length, Load::Writes, 32},
      {"cap", {"power.cap=0.3 W"}, {"power.cap=0.1 W"}, length, Load::Writes, 32},
      {"cap_window",
       {"power.cap=0.1 W", "power.cap_window=10 us"},
       {"power.cap=0.1 W", "power.cap_window=100 ms"},  // a burst uses up the budget of a long window
       read_latency,
       Load::Mixed,
       4},
      {"peak_window",
       {"power.peak_window=2 ms"},
       {"power.peak_window=100 us"},
       [](const Json& result) { return result["energy"]["peak_w"].get<double>(); },
       Load::Mixed,
       4},
      {"channels", {"nand.channels=4"}, {"nand.channels=1"}, length, Load::Writes, 32},
      {"ways", {"nand.ways=4"}, {"nand.ways=1"}, length, Load::Writes, 32},
      {"dies", {"nand.dies=2"}, {}, length, Load::Writes, 32},
      {"planes", {"nand.planes=2", "nand.multi_plane_program=true"}, {}, length, Load::Writes, 32},
      {"read_time", {}, {"nand.read_time=90 us"}, read_latency, Load::Reads, 1},
      {"program_time", {}, {"nand.program_time=2 ms"}, length, Load::Writes, 32},
      {"erase_time", {}, {"nand.erase_time=50 ms"}, length, Load::Writes, 32},
      {"transfer_rate", {"nand.transfer_rate=800 MT/s"}, {"nand.transfer_rate=40 MT/s"}, read_latency, Load::Reads, 1},
      {"bus_width", {"nand.bus_width=16"}, {}, read_latency, Load::Reads, 1},
      {"command_cycle", {}, {"nand.command_cycle=1 us"}, read_latency, Load::Reads, 1},
      {"read_cycles", {}, {"nand.read_cycles=60"}, read_latency, Load::Reads, 1},
      {"program_cycles", {}, {"nand.program_cycles=60", "nand.command_cycle=10 us"}, length, Load::Writes, 32},
      {"erase_cycles",
       {"nand.command_cycle=100 us", "nand.erase_cycles=1"},
       {"nand.command_cycle=100 us", "nand.erase_cycles=60"},
       length,
       Load::Writes,
       32},
      {"transfer_spare", {}, {"nand.transfer_spare=true"}, read_latency, Load::Reads, 1},
      {"spare_size",
       {"nand.transfer_spare=true"},
       {"nand.transfer_spare=true", "nand.spare_size=1024 B"},
       read_latency,
       Load::Reads,
       1},
      {"read_current", {}, {"nand.read_current=250 mA"}, joules("nand.read")},
      {"program_current", {}, {"nand.program_current=250 mA"}, joules("nand.program")},
      {"erase_current", {}, {"nand.erase_current=250 mA"}, joules("nand.erase"), Load::Writes},
      {"bus_current", {}, {"nand.bus_current=250 mA"}, joules_of("channel")},
      {"standby_current", {}, {"nand.standby_current=10 mA"}, background},
      {"array_voltage", {}, {"nand.array_voltage=6 V"}, joules("nand.read")},
      {"io_voltage", {}, {"nand.io_voltage=6 V"}, joules_of("channel")},
      {"energy_model", {}, {"nand.energy_model=bits"}, joules("nand.program"), Load::Writes},
      {"idle_power", {}, {"nand.idle_power=12.7 mW"}, background},
      {"plane_current_share",
       {"nand.planes=2", "nand.multi_plane_program=true"},
       {"nand.planes=2", "nand.multi_plane_program=true", "nand.plane_current_share=0.5"},
       joules("nand.program"),
       Load::Writes},
      {"read_energy",
       {"nand.energy_model=bits"},
       {"nand.energy_model=bits", "nand.read_energy=1 nJ/bit"},
       joules("nand.read")},
      {"program_energy",
       {"nand.energy_model=bits"},
       {"nand.energy_model=bits", "nand.program_energy=5 nJ/bit"},
       joules("nand.program")},
      {"erase_energy",
       {"nand.energy_model=bits"},
       {"nand.energy_model=bits", "nand.erase_energy=1 nJ/bit"},
       joules("nand.erase"),
       Load::Writes},
      {"bus_energy_model", {}, {"nand.bus_energy_model=capacitance"}, joules_of("channel")},
      {"bus_swing",
       {"nand.bus_energy_model=capacitance", "nand.bus_swing=0.5"},
       {"nand.bus_energy_model=capacitance"},
       joules_of("channel")},
      {"link_transfer_energy", {}, {"link.transfer_energy=5 pJ/bit"}, joules("link")},
      {"link_lane_power", {}, {"link.lane_power=50 mW"}, background},
      {"link_l0s",
       {"link.lane_power=50 mW", "link.l0s_time=1 us"},
       {"link.lane_power=50 mW"},
       background,
       Load::TimedReads},
      {"link_l1_exit_latency",
       {"link.l1_time=10 us"},
       {"link.l1_time=10 us", "link.l1_exit_latency=32 us"},
       read_latency,
       Load::TimedReads},
      {"dram_power_down",
       {"dram.background_power=100 mW", "dram.power_down_time=1 us"},
       {"dram.background_power=100 mW"},
       background,
       Load::TimedReads},
      {"dram_self_refresh_exit",
       {"dram.self_refresh_time=20 us"},
       {"dram.self_refresh_time=20 us", "dram.self_refresh_exit=10 us"},
       read_latency,
       Load::TimedReads},
      {"controller_idle_power", {}, {"controller.idle_power=300 mW"}, background},
      {"controller_byte_energy",
       {"controller.byte_energy=1 pJ/B"},
       {"controller.byte_energy=100 pJ/B"},
       joules("controller")},
      {"regulator_efficiency",
       {},
       {"power.regulator_efficiency=0.8"},
       [](const Json& result) { return result["energy"]["peak_w"].get<double>(); }},
      {"off_time", {"power.off_time=1 ms"}, {"power.off_time=70 ms"}, length, Load::Cut},
      {"seed",
       {"precondition.steady=true"},
       {"precondition.steady=true", "seed=2"},
       [](const Json& r) { return r["seed"].get<double>(); }},
  };
  return all;
}

Json run(const Option& option, std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), "precondition.fill=0.9");
  if (option.load == Load::Cut) overrides.push_back("power.cut_at=20 ms");
  const DeviceConfig config = small_preset("tiny", overrides);
  // Both sides get the same requests, also on devices of different size.
  MixOptions mix;
  mix.seed = 5;
  mix.capacity = 1 << 20;
  mix.requests = option.load == Load::Mixed ? 1500 : 2500;
  mix.hot = 30;
  if (option.load == Load::Reads) {
    mix.reads = 100;
    mix.trims = mix.flushes = 0;
  } else if (option.load == Load::Writes) {
    mix.reads = mix.trims = mix.flushes = mix.fua = 0;
    mix.whole_units = true;
  } else if (option.load == Load::TimedReads) {
    mix.reads = 100;
    mix.trims = mix.flushes = 0;
    mix.gap_ps = 500 * kMicrosecond;
  }
  return simulate(config, {{random_mix(mix), option.load == Load::TimedReads ? 0 : option.iodepth, 0}});
}

class EveryOption : public testing::TestWithParam<Option> {};

TEST_P(EveryOption, DoesSomething) {
  const Option& option = GetParam();
  const double less = option.figure(run(option, option.less));
  const double more = option.figure(run(option, option.more));
  EXPECT_LT(less, more);
}

INSTANTIATE_TEST_SUITE_P(Options, EveryOption, testing::ValuesIn(options()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace flashloom::options_test
