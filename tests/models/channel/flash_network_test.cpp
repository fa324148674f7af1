// Networks, worked by hand and against buses. Command cycles of a read or a program take 175 ns, of an erase 125 ns; tR
// 50 us, tPROG 600 us, tBERS 3 ms; a page 4096 ns on a link. Unless a test says otherwise, hops and scouts take no
// time.
#include "models/channel/flash_network.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/models/channel/script_player.hpp"

namespace flashloom::flash_network_test {
namespace {

using enum FlashOperation;

NandConfig network(const char* topology, std::uint32_t channels, std::uint32_t ways, const char* routing = "adaptive") {
  NandConfig config;
  config.channels = channels;
  config.ways = ways;
  config.blocks = 4;
  config.pages = 4;
  config.network.topology = topology;
  config.network.routing = routing;
  config.network.hop_time = config.network.reserve_time = 0;
  return config;
}

/// The die in a row (channel) and a column (way).
std::uint32_t die_at(const NandConfig& config, std::uint32_t row, std::uint32_t column) {
  return column * config.channels + row;
}

struct Bench : DeviceBench {
  explicit Bench(const NandConfig& c, const char* name = "bench") : DeviceBench(name, c, 4096) {}

  OnfiCommand& read(std::uint32_t row, std::uint32_t column, Picoseconds at = 0) {
    OnfiCommand& command = make(Read, die_at(config, row, column), 0, 0);
    send_at(at, command);
    return command;
  }
  const NetworkUse& use() { return *wires->use(kernel_now()); }
};

// The scout takes 1 ns a step, a hop 10 ns; row 0, column 2 of a mesh is 3 hops away. The command takes 3 ns for the
// scout, then 175 ns, and arrives 30 ns later; then tR; the data take 3 ns, then 4096 ns and 30 ns.
TEST(FlashNetwork, AnUnloadedReadIsItsPhasesAndItsHops) {
  NandConfig config = network("mesh", 1, 3);
  config.network.hop_time = 10 * kNanosecond;
  config.network.reserve_time = kNanosecond;
  Bench bench(config);
  const OnfiCommand& read = bench.read(0, 2);
  run_until(kMillisecond);
  EXPECT_EQ(read.at.granted, 3'000U);
  EXPECT_EQ(read.at.loaded, 3'000U + 30'000 + 175'000);
  EXPECT_EQ(read.at.array_end, 50'208'000U);
  EXPECT_EQ(read.at.data_begin, 50'211'000U);
  EXPECT_EQ(read.at.complete, 50'211'000U + 30'000 + 4'096'000);
  EXPECT_EQ(read.at.complete, bench.timing.unloaded_read(4096) + 2 * 3 * 11'000);
  EXPECT_EQ(bench.use().transfers, 2U);
  EXPECT_EQ(bench.use().hops, 6U);
  EXPECT_EQ(bench.use().conflicts, 0U);
  EXPECT_EQ(bench.use().bytes, 4096U);
  EXPECT_EQ(bench.use().byte_hops, 3U * 4096);
  // Three links, for both transfers.
  EXPECT_EQ(bench.use().link_time, 3U * (208'000 + 4'129'000));
  EXPECT_EQ(bench.wires->bus_time(Channel{0}, kernel_now()).command, 208'000U + 33'000);
  EXPECT_EQ(bench.wires->bus_time(Channel{0}, kernel_now()).data, 4'096'000U);
}

TEST(FlashNetwork, UnloadedProgramsAndErasesTakeTheirPhases) {
  Bench bench(network("crossbar", 2, 2));
  OnfiCommand& program = bench.make(Program, 0, 0, 0);
  OnfiCommand& erase = bench.make(Erase, 3, 1, 0);
  bench.send_at(0, program);
  bench.send_at(0, erase);
  run_until(10 * kMillisecond);
  EXPECT_EQ(program.at.complete, bench.timing.unloaded_program());
  EXPECT_EQ(erase.at.complete, bench.timing.unloaded_erase());
}

// A link at a quarter of the bus's rate: data take four times as long, command cycles do not.
TEST(FlashNetwork, SlowLinksStretchData) {
  NandConfig config = network("crossbar", 1, 1);
  config.network.link_width = 4;
  config.network.link_rate = 500'000'000;
  Bench bench(config);
  const OnfiCommand& read = bench.read(0, 0);
  run_until(kMillisecond);
  EXPECT_EQ(read.at.complete, 175'000U + 50'000'000 + 4 * 4'096'000);
  config.network.link_width = 16;  // a die is no faster than its own pins
  config.network.link_rate = 0;
  EXPECT_EQ(NandTiming(config, bench.geometry).data_time(4096), 4'096'000U);
}

// Mesh of 2 rows and 2 columns: ports 0, 1; links 2 and 3 along the rows, 4 and 5 along the columns. With minimal
// routing the read of (0, 1) takes 0, 2; that of (0, 0) finds port 0 taken and takes 1, 4; that of (1, 1) waits for a
// port until 175 ns and then gets its own, 1, 3. The data go likewise: the first two dies are ready at 50175 ns.
TEST(FlashNetwork, TransfersWaitForPorts) {
  Bench bench(network("mesh", 2, 2, "minimal"));
  const OnfiCommand& a = bench.read(0, 1);
  const OnfiCommand& b = bench.read(0, 0);
  const OnfiCommand& c = bench.read(1, 1);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.granted, 0U);
  EXPECT_EQ(b.at.granted, 0U);
  EXPECT_EQ(c.at.granted, 175'000U);
  EXPECT_EQ(a.at.complete, 54'271'000U);
  EXPECT_EQ(b.at.complete, 54'271'000U);
  EXPECT_EQ(c.at.data_begin, 54'271'000U);  // ready at 50350
  EXPECT_EQ(bench.use().conflicts, 2U);
  EXPECT_EQ(bench.use().waited, 175'000U + (54'271'000 - 50'350'000));
  // Hops: (0, 1) two; (0, 0) by the other port two; (1, 1) two; for commands and data alike.
  EXPECT_EQ(bench.use().hops, 2U * 6);
  EXPECT_EQ(bench.use().own_port, 4U);
  EXPECT_EQ(bench.use().minimal, 6U);
}

// Two transfers that share a link. Mesh of 3 x 3: ports 0, 1, 2; along the rows links 3, 4 | 5, 6 | 7, 8; along the
// columns 9, 10, 11 | 12, 13, 14. At 0 a read of (0, 0) has port 0 until 175 ns, so that a program of (0, 1) comes by
// port 1, along row 1 and up: 1, 5, 10, until 4271. At 1 us one of (2, 0) takes port 2. At 2 us a read of (1, 1) finds
// port 0 free alone. By rows and columns it would be 0, 3, 10, and waits for the program; a scout goes on along row 0,
// down column 2 and back along row 1: 0, 3, 4, 11, 6.
TEST(FlashNetwork, AdaptivePathsGoRoundALinkInUse) {
  Bench minimal(network("mesh", 3, 3, "minimal"), "minimal");
  Bench adaptive(network("mesh", 3, 3, "adaptive"), "adaptive");
  Bench* const benches[] = {&minimal, &adaptive};
  OnfiCommand* shared[2];
  OnfiCommand* reads[2];
  for (int i = 0; i < 2; ++i) {
    Bench& bench = *benches[i];
    bench.read(0, 0);
    shared[i] = &bench.make(Program, die_at(bench.config, 0, 1), 0, 0);
    bench.send_at(0, *shared[i]);
    bench.send_at(kMicrosecond, bench.make(Program, die_at(bench.config, 2, 0), 0, 0));
    reads[i] = &bench.read(1, 1, 2 * kMicrosecond);
  }
  run_until(kMillisecond);
  for (int i = 0; i < 2; ++i) {
    const NetworkUse& use = benches[i]->use();
    EXPECT_EQ(shared[i]->at.loaded, 4'271'000U);
    EXPECT_EQ(reads[i]->at.granted, i == 0 ? 4'271'000U : 2'000'000U);
    EXPECT_EQ(use.transfers, 6U);
    EXPECT_EQ(use.conflicts, i == 0 ? 1U : 0U);
    EXPECT_EQ(use.minimal, i == 0 ? 6U : 5U);
    // Hops: commands of (0, 0), (0, 1), (2, 0), (1, 1), then data of (0, 0), (1, 1).
    EXPECT_EQ(use.hops, 1U + 3 + 1 + (i == 0 ? 2 : 5) + 1 + 2);
  }
}

// Four chips, each with its port, transfer at once what one bus of a channel sends one after the other.
TEST(FlashNetwork, ACrossbarHasNoConflictWithAPortAChip) {
  Bench bench(network("crossbar", 4, 1));
  Bench shared(network("crossbar", 1, 4), "shared");
  for (std::uint32_t i = 0; i < 4; ++i) {
    bench.read(i, 0);
    shared.read(0, i);
  }
  run_until(kMillisecond);
  for (const auto& [at, command] : bench.completions) EXPECT_EQ(at, bench.timing.unloaded_read(4096));
  EXPECT_EQ(bench.use().conflicts, 0U);
  EXPECT_EQ(shared.completions.back().first, bench.timing.unloaded_read(4096) + 3 * 4'096'000);
}

// Both dies of a chip are sent commands at once, by two ports: their chip has one way into the network.
TEST(FlashNetwork, DiesOfAChipShareIt) {
  NandConfig config = network("crossbar", 2, 1);
  config.dies = 2;
  Bench bench(config);
  OnfiCommand& a = bench.make(Read, 0, 0, 0);
  OnfiCommand& b = bench.make(Read, 2, 0, 0);
  bench.send_at(0, a);
  bench.send_at(0, b);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.granted, 0U);
  EXPECT_EQ(b.at.granted, 175'000U);
  EXPECT_EQ(b.at.data_begin, a.at.complete);
}

// Vertical: two chips of one channel transfer at once, the second by the bus of its way; (1, 1) uses its own channel's
// bus.
TEST(FlashNetwork, AVerticalBusIsASecondPath) {
  Bench bench(network("vertical", 2, 2));
  const OnfiCommand& a = bench.read(0, 0);
  const OnfiCommand& b = bench.read(0, 1);
  const OnfiCommand& c = bench.read(1, 1);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.granted, 0U);
  EXPECT_EQ(b.at.granted, 0U);
  EXPECT_EQ(c.at.granted, 0U);
  EXPECT_EQ(bench.use().own_port, 4U);
}

// Pages of two planes read together: one command, then the data of each page with the cycles that select its plane.
TEST(FlashNetwork, PlanesReadTogetherSendOneByOne) {
  NandConfig config = network("mesh", 2, 1);
  config.planes = 2;
  config.multi_plane_read = true;
  Bench bench(config);
  OnfiCommand& a = bench.make(Read, 0, 0, 0);
  OnfiCommand& b = bench.make(Read, 0, 1, 0);
  a.together = &b;
  bench.send_at(0, a);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.array_end, 50'350'000U);
  EXPECT_EQ(a.at.complete, 50'350'000U + 175'000 + 4'096'000);
  EXPECT_EQ(b.at.complete, a.at.complete + 175'000 + 4'096'000);
}

// Status reads take 25 + 80 + 1 ns every 10 us: the one that begins at 50705 ns ends at 50811 ns, after tR.
TEST(FlashNetwork, StatusReadsTakePaths) {
  NandConfig config = network("mesh", 2, 2);
  config.ready_detection = "polling";
  Bench bench(config);
  const OnfiCommand& read = bench.read(0, 1);
  run_until(kMillisecond);
  EXPECT_EQ(read.at.array_end, 50'175'000U);
  EXPECT_EQ(read.at.data_begin, 175'000U + 5 * (10'000'000 + 106'000));
  EXPECT_EQ(bench.use().transfers, 2U + 5);
}

// Power fails at 2 us while a program is being sent: its data never reach the chip. The port was in use for 2 us, and
// the next transfer finds all links free.
TEST(FlashNetwork, APowerCutFreesLinks) {
  Bench bench(network("mesh", 1, 2));
  bench.send_at(0, bench.make(Program, 1, 0, 0));
  bench.call_at(2 * kMicrosecond, [&bench] {
    bench.wires->power_cut(kernel_now());
    for (NandDie& die : bench.dies) die.power_cut(kernel_now());
  });
  const OnfiCommand& read = bench.read(0, 0, 3 * kMicrosecond);
  run_until(2 * kMicrosecond + 1);
  const BusTime time = bench.wires->bus_time(Channel{0}, kernel_now());
  EXPECT_EQ(time.command, 175'000U);
  EXPECT_EQ(time.data, 1'825'000U);
  EXPECT_EQ(bench.use().link_time, 2U * 2'000'000);
  run_until(kMillisecond);
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(read.at.complete, 3'000'000U + bench.timing.unloaded_read(4096));
}

// A stretch of time that begins at 2 us, in the middle of a transfer of 4271 ns.
TEST(FlashNetwork, UseIsOfTheStretchThatIsAskedFor) {
  Bench bench(network("mesh", 1, 2));
  bench.send_at(0, bench.make(Program, 1, 0, 0));
  run_until(2 * kMicrosecond);
  bench.wires->forget_use(kernel_now());
  run_until(3 * kMicrosecond);
  EXPECT_EQ(bench.use().link_time, 2U * 1'000'000);
  EXPECT_EQ(bench.use().busiest_link, 1'000'000U);
  run_until(5 * kMicrosecond);
  EXPECT_EQ(bench.use().link_time, 2U * 2'271'000);
  EXPECT_EQ(bench.use().transfers, 0U);
}

TEST(FlashNetwork, RefusesWhatNeedsABus) {
  NandConfig config = network("mesh", 1, 2);
  config.program_suspend = true;
  EXPECT_THROW(Bench{config}, std::invalid_argument);
  Bench bench(network("mesh", 1, 2), "other");
  EXPECT_THROW(bench.wires->next_decision(Channel{0}), std::logic_error);
}

std::vector<const OnfiCommand*> of_die(const Player<DeviceBench>& player, std::uint32_t die) {
  std::vector<const OnfiCommand*> found;
  for (const OnfiCommand* command : player.order)
    if (command->address.die.value() == die) found.push_back(command);
  return found;
}

// One row has one port, so it is a bus; so is a port for each die. They equal buses to the tick, for any commands, if
// hops take no time. (On one bus the order of two commands of one tick matters, and unless all of them come from
// completions it may depend on when a channel set its alarm: that case has no think times.)
RC_GTEST_PROP(FlashNetwork, OneRowAndOneColumnAreBuses, ()) {
  struct Kind {
    std::unique_ptr<Player<DeviceBench>> bus;
    std::vector<std::unique_ptr<Player<DeviceBench>>> networks;
  };
  static std::vector<Kind> kinds;
  if (kinds.empty()) {
    const NandConfig timings[] = {tiny({20, 33}, {60, 110}, 150), tiny({3}, {10}, 5)};
    for (int k = 0; k < 8; ++k) {
      NandConfig config = timings[k / 4];
      if (k % 2 == 1) std::swap(config.channels, config.ways);
      if (k / 2 % 2 == 1) {
        config.ready_detection = "polling";
        config.poll_interval = 7;
        config.status_time = 2;
      }
      config.network.hop_time = config.network.reserve_time = 0;
      const auto player = [&](const std::string& name) {
        return std::make_unique<Player<DeviceBench>>(name + std::to_string(k), config);
      };
      Kind& kind = kinds.emplace_back();
      kind.bus = player("bus");
      for (const char* topology : {"crossbar", "mesh"}) {
        config.network.topology = topology;
        kind.networks.push_back(player(topology));
      }
    }
  }
  const Kind& kind = kinds[*rc::gen::inRange<std::size_t>(0, kinds.size())];
  auto scripts = *any_scripts(4, *rc::gen::arbitrary<bool>());
  const bool one_bus = kind.bus->bench.config.channels == 1;
  for (std::vector<Step>& script : scripts)
    for (Step& step : script)
      if (one_bus) step = {step.kind, step.units, 0, step.urgency, true};
  const auto all = [&](auto&& f) {
    f(*kind.bus);
    for (const auto& each : kind.networks) f(*each);
  };
  all([&](Player<DeviceBench>& player) {
    player.forget();
    player.play(scripts);
  });
  std::size_t left = 0;
  do {
    run_until(kernel_now() + 1000);
    left = 0;
    all([&](Player<DeviceBench>& player) { left += player.left(); });
  } while (left != 0);
  for (const auto& each : kind.networks) {
    RC_ASSERT(each->order.size() == kind.bus->order.size());
    for (std::uint32_t die = 0; die < 4; ++die) {
      const std::vector<const OnfiCommand*> on_bus = of_die(*kind.bus, die);
      const std::vector<const OnfiCommand*> on_network = of_die(*each, die);
      RC_ASSERT(on_bus.size() == on_network.size());
      for (std::size_t i = 0; i < on_bus.size(); ++i) {
        const FlashInstants& a = on_bus[i]->at;
        const FlashInstants& b = on_network[i]->at;
        RC_LOG() << "kind " << (&kind - kinds.data()) << ", die " << die << ", command " << i << ": " << a.granted
                 << " " << b.granted << ", " << a.data_begin << " " << b.data_begin << "\n";
        RC_ASSERT(a.granted == b.granted);
        RC_ASSERT(a.array_end == b.array_end);
        RC_ASSERT(a.data_begin == b.data_begin);
        RC_ASSERT(a.complete == b.complete);
      }
    }
  }
}

}  // namespace
}  // namespace flashloom::flash_network_test
