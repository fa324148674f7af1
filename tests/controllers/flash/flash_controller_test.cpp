#include "controllers/flash/flash_controller.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "controllers/flash/instant_flash.hpp"
#include "policies/registry.hpp"
#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::flash_controller_test {
namespace {

using enum FlashOperation;

NandConfig small(std::uint32_t channels, std::uint32_t ways) {
  NandConfig config;
  config.channels = channels;
  config.ways = ways;
  config.blocks = 8;
  config.pages = 16;
  return config;
}

std::vector<const OnfiCommand*> order(const FlashBench& bench) {
  return {bench.completed.begin(), bench.completed.end()};
}

TEST(FlashController, ReadsGoBeforeWritesAndWritesStayInOrder) {
  FlashBench bench(small(1, 1));
  const OnfiCommand* w0 = &bench.submit(Program, 0, 0, 0);  // starts at once
  const OnfiCommand* w1 = &bench.submit(Program, 0, 0, 1);
  const OnfiCommand* e = &bench.submit(Erase, 0, 1, 0);
  const OnfiCommand* w2 = &bench.submit(Program, 0, 1, 0);
  const OnfiCommand* r0 = &bench.submit(Read, 0, 0, 0);
  const OnfiCommand* r1 = &bench.submit(Read, 0, 0, 1);
  EXPECT_EQ(bench.flash.pending(), 6U);
  run_until(10 * kMillisecond);
  EXPECT_EQ(order(bench), (std::vector<const OnfiCommand*>{w0, r0, r1, w1, e, w2}));
  EXPECT_EQ(bench.flash.pending(), 0U);
  // The two reads run back to back with the bus to themselves: 604.271 + 2 x 54.271 us = 712.813 us.
  EXPECT_EQ(w1->at.granted, 712'813'000U);
  // the read passed the program of its page: firmware must wait for that program
  EXPECT_EQ(r1->status, FlashStatus::Erased);
  EXPECT_EQ(bench.protocol_errors(), std::vector<std::string>{});
  // Waits in us: r0 604.271, r1 658.542; w0 0, w1 712.813, w2 712.813 + 604.271 + 3000.125.
  EXPECT_EQ(bench.flash.queue_wait(Read).total, 604'271'000U + 658'542'000);
  EXPECT_EQ(bench.flash.queue_wait(Read).longest.value, 658'542'000U);
  EXPECT_EQ(bench.flash.queue_wait(Program).commands, 3U);
  EXPECT_EQ(bench.flash.queue_wait(Program).total, 712'813'000U + 4'317'209'000);
}

TEST(FlashController, AWriteIsPassedABoundedNumberOfTimes) {
  FlashBench bench(small(1, 1), 4096, {"read_first", ParameterValues({{"bound", std::int64_t{3}}})});
  bench.submit(Read, 0, 0, 0);
  const OnfiCommand* first = &bench.submit(Program, 0, 0, 0);
  const OnfiCommand* second = &bench.submit(Program, 0, 0, 1);
  bench.on_complete = [&bench](OnfiCommand& done) {
    if (done.operation == Read && bench.completed.size() < 20) bench.submit(Read, 0, 0, 0);
  };
  for (int i = 0; i < 2; ++i) bench.submit(Read, 0, 0, 0);
  run_until(20 * kMillisecond);
  // One read is in the die already; then three reads pass the first write, and three the second.
  ASSERT_GE(bench.completed.size(), 9U);
  EXPECT_EQ(bench.completed[4], first);
  EXPECT_EQ(bench.completed[8], second);
}

// Host reads arrive without end; collection and scrubbing each get a turn after three of them, the older command first.
TEST(FlashController, OutOfOrderStarvesNobody) {
  FlashBench bench(small(1, 1), 4096, {"out_of_order", ParameterValues({{"bound", std::int64_t{3}}})});
  bench.submit(Read, 0, 0, 0);
  OnfiCommand& collection = bench.make(Program, 0, 1, 0);
  collection.origin = Origin::Gc;
  bench.flash.submit(collection);
  OnfiCommand& scrub = bench.make(Read, 0, 2, 0);
  scrub.origin = Origin::Scrub;
  run_until(kNanosecond);
  bench.flash.submit(scrub);
  bench.on_complete = [&bench](OnfiCommand& done) {
    if (done.origin == Origin::Host && bench.completed.size() < 20) bench.submit(Read, 0, 0, 0);
  };
  for (int i = 0; i < 2; ++i) bench.submit(Read, 0, 0, 0);
  run_until(20 * kMillisecond);
  ASSERT_GE(bench.completed.size(), 9U);
  EXPECT_EQ(bench.completed[4], &collection);
  EXPECT_EQ(bench.completed[5], &scrub);
}

// Die 0 holds the bus for its data. Die 1 waits for the bus with a program of GC, die 2 with a later one of the host.
TEST(FlashController, OutOfOrderChoosesWhichDieGetsTheBus) {
  FlashBench by_arrival(small(1, 3), 4096, {"read_first", {}}, "by_arrival");
  FlashBench by_origin(small(1, 3), 4096, {"out_of_order", {}}, "by_origin");
  for (FlashBench* bench : {&by_arrival, &by_origin}) {
    bench->submit(Program, 0, 0, 0);
    OnfiCommand& collection = bench->make(Program, 1, 0, 0);
    collection.origin = Origin::Gc;
    bench->flash.submit(collection);
    bench->submit(Program, 2, 0, 0);
  }
  run_until(kMillisecond);
  // One program holds the bus for 4.271 us.
  EXPECT_EQ(by_arrival.commands[1].at.granted, 4'271'000U);
  EXPECT_EQ(by_arrival.commands[2].at.granted, 8'542'000U);
  EXPECT_EQ(by_origin.commands[1].at.granted, 8'542'000U);
  EXPECT_EQ(by_origin.commands[2].at.granted, 4'271'000U);
  for (FlashBench* bench : {&by_arrival, &by_origin}) EXPECT_EQ(bench->protocol_errors(), std::vector<std::string>{});
}

// Only lanes keep the programs of a block in order; the die detects a policy that mixes them up.
TEST(FlashController, TheDieRefusesProgramsOutOfOrder) {
  FlashBench bench(small(1, 1), 4096, {"out_of_order", {}});
  bench.submit(Read, 0, 1, 0);
  OnfiCommand& first = bench.make(Program, 0, 0, 0);
  first.origin = Origin::Gc;
  bench.flash.submit(first);
  bench.submit(Program, 0, 0, 1);  // of the host: passes the program of GC
  bool refused = false;
  try {
    run_until(10 * kMillisecond);
  } catch (const std::exception& error) {
    refused = std::string(error.what()).find("in order") != std::string::npos;
  }
  EXPECT_TRUE(refused);
}

TEST(FlashController, RoutesEachDieToItsChannel) {
  FlashBench bench(small(2, 2));
  std::vector<OnfiCommand*> reads;
  for (std::uint32_t die = 0; die < 4; ++die) reads.push_back(&bench.submit(Read, die, 0, 0));
  run_until(kMillisecond);
  // Dies 0 and 2 share channel 0, dies 1 and 3 channel 1.
  EXPECT_EQ(reads[0]->at.complete, 54'271'000U);
  EXPECT_EQ(reads[1]->at.complete, 54'271'000U);
  EXPECT_EQ(reads[2]->at.complete, 58'367'000U);
  EXPECT_EQ(reads[3]->at.complete, 58'367'000U);
  EXPECT_EQ(bench.checkers[0].commands(), 2U);
  EXPECT_EQ(bench.checkers[1].commands(), 2U);
  EXPECT_EQ(bench.flash.wakes(), 4U);
  EXPECT_THROW(bench.submit(Read, 4, 0, 0), FirmwareViolation);
}

TEST(FlashController, ActivityAddsUpAtEveryInstant) {
  FlashBench bench(small(1, 2));
  bench.submit(Read, 0, 0, 0);
  bench.submit(Program, 1, 0, 0);
  bench.submit(Erase, 1, 1, 0);
  const auto check = [&bench](std::uint32_t die, Picoseconds read, Picoseconds program, Picoseconds erase,
                              Picoseconds transfer) {
    const Picoseconds now = kernel_now();
    const DieActivity a = bench.flash.activity(Die{die}, now);
    EXPECT_EQ(a.read, read);
    EXPECT_EQ(a.program, program);
    EXPECT_EQ(a.erase, erase);
    EXPECT_EQ(a.transfer, transfer);
    EXPECT_EQ(a.idle + a.read + a.program + a.erase + a.transfer, now);
  };
  run_until(100'000);
  check(0, 0, 0, 0, 100'000);
  check(1, 0, 0, 0, 0);
  run_until(10'000'000);  // program: bus from 175 to 4446 ns
  check(0, 9'825'000, 0, 0, 175'000);
  check(1, 0, 5'554'000, 0, 4'271'000);
  run_until(52'175'000);
  check(0, 50'000'000, 0, 0, 2'175'000);
  run_until(10 * kMillisecond);
  check(0, 50'000'000, 0, 0, 4'271'000);
  check(1, 0, 600'000'000, 3'000'000'000, 4'271'000 + 125'000);
  EXPECT_EQ(bench.flash.bus_time(Channel{0}, kernel_now()).command, 175'000U + 175'000 + 125'000);
  EXPECT_EQ(bench.flash.bus_time(Channel{0}, kernel_now()).data, 2U * 4'096'000);
}

TEST(FlashController, CountsLikeTheInstantBackEnd) {
  FlashBench bench(small(2, 2));
  NandMedia media(bench.geometry, true, 0);
  InstantFlash instant(media, bench.timing);
  const auto both = [&](FlashOperation operation, Origin origin, std::uint32_t die, std::uint32_t page) {
    OnfiCommand& command = bench.make(operation, die, 0, page);
    command.origin = origin;
    if (operation == Program) command.payload_units = page % 2;
    OnfiCommand copy = command;
    EXPECT_TRUE(instant.submit(copy));
    EXPECT_FALSE(bench.flash.submit(command));
  };
  for (std::uint32_t die = 0; die < 4; ++die) {
    for (std::uint32_t page = 0; page < 16; ++page) both(Program, page < 9 ? Origin::Host : Origin::Gc, die, page);
    both(Read, Origin::Map, die, 3);
  }
  both(Erase, Origin::Gc, 2, 0);
  run_until(100 * kMillisecond);
  EXPECT_EQ(bench.flash.pending(), 0U);
  EXPECT_EQ(bench.flash.counters(), instant.counters());
  EXPECT_EQ(bench.media.digest(), media.digest());
  EXPECT_EQ(bench.flash.counters().at(Program, Origin::Gc).pages, 28U);
}

// The reads of a host command are handed over at once: six pages of four dies, and a group of two planes.
TEST(FlashController, WhatIsHandedOverTogetherGoesAsWhatIsHandedOverOneByOne) {
  NandConfig config = small(2, 2);
  config.planes = 2;
  config.multi_plane_read = true;
  config.channel_switch_time = 3 * kMicrosecond;  // makes the second pair take the general path
  const NandConfig plain = [&config] {
    NandConfig without = config;
    without.channel_switch_time = 0;
    return without;
  }();
  std::deque<FlashBench> benches;
  benches.emplace_back(plain, 4096, PolicyChoice{"read_first", {}}, "plain_each");
  benches.emplace_back(plain, 4096, PolicyChoice{"read_first", {}}, "plain_all");
  benches.emplace_back(config, 4096, PolicyChoice{"read_first", {}}, "switch_each");
  benches.emplace_back(config, 4096, PolicyChoice{"read_first", {}}, "switch_all");
  for (std::size_t i = 0; i < benches.size(); ++i) {
    FlashBench& bench = benches[i];
    OnfiCommand* first = nullptr;
    OnfiCommand** link = &first;
    for (const std::uint32_t die : {0, 1, 2, 3, 2, 1}) {
      OnfiCommand& read = bench.make(Read, die, 0, static_cast<std::uint32_t>(bench.commands.size()));
      *link = &read;
      link = &read.next;
    }
    first->together = &bench.make(Read, 0, 1, 1);
    first->address.page = Page{1};
    if (i % 2 == 1) {
      bench.flash.submit_all(first);
      continue;
    }
    while (first != nullptr) {
      OnfiCommand& next = *std::exchange(first, first->next);
      EXPECT_FALSE(bench.flash.submit(next));
    }
  }
  run_until(kMillisecond);
  for (const std::size_t pair : {0, 2}) {
    ASSERT_EQ(benches[pair].completed.size(), 7U);
    ASSERT_EQ(benches[pair + 1].completed.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
      const OnfiCommand& each = benches[pair].commands[i];
      const OnfiCommand& all = benches[pair + 1].commands[i];
      EXPECT_EQ(each.at.queued, all.at.queued);
      EXPECT_EQ(each.at.switch_wait, all.at.switch_wait);
      EXPECT_EQ(each.at.granted, all.at.granted);
      EXPECT_EQ(each.at.complete, all.at.complete);
    }
    EXPECT_EQ(benches[pair].protocol_errors(), std::vector<std::string>{});
  }
  EXPECT_GT(benches[3].commands[1].at.granted, benches[1].commands[1].at.granted);
  OnfiCommand& beyond = benches[1].make(Read, 4, 0, 0);
  EXPECT_THROW(benches[1].flash.submit_all(&beyond), FirmwareViolation);
}

TEST(FlashController, AnUnknownArbitrationIsAnError) {
  const NandConfig config = small(1, 1);
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  NandMedia media(geometry, true, 0);
  EXPECT_THROW(TimedFlash("flash", config, timing, media, {"random", {}}), UnknownPart);
}

TEST(FlashController, PowerCutForgetsEverything) {
  FlashBench bench(small(1, 2));
  bench.submit(Program, 0, 0, 0);
  bench.submit(Program, 0, 0, 1);
  bench.submit(Read, 0, 0, 0);
  bench.submit(Erase, 1, 3, 0);
  run_until(500 * kMicrosecond);
  bench.flash.power_cut(kernel_now());
  for (OnfiProtocolChecker& checker : bench.checkers) checker.reset();
  EXPECT_EQ(bench.flash.pending(), 0U);
  for (OnfiCommand& command : bench.commands) command = OnfiCommand{};  // the firmware and its commands are gone
  run_until(20 * kMillisecond);
  EXPECT_TRUE(bench.completed.empty());
  EXPECT_EQ(bench.media.page({Die{0}, Block{0}, Page{0}}).status, FlashStatus::Torn);
  EXPECT_EQ(bench.media.page({Die{0}, Block{0}, Page{1}}).status, FlashStatus::Erased);
  EXPECT_TRUE(bench.media.torn(Die{1}, Block{3}));
  EXPECT_EQ(bench.flash.counters(), FlashCounters{});
  // The time until the cut counts. Both came at 0: the erase had the bus until 125 ns, the program until 4396 ns.
  EXPECT_EQ(bench.flash.activity(Die{1}, kernel_now()).erase, 500'000'000U - 125'000);
  EXPECT_EQ(bench.flash.activity(Die{0}, kernel_now()).program, 500'000'000U - 4'396'000);

  OnfiCommand& read = bench.submit(Read, 0, 0, 0);
  const Picoseconds now = kernel_now();
  run_until(now + kMillisecond);
  EXPECT_EQ(read.at.complete, now + 54'271'000);
  EXPECT_EQ(read.status, FlashStatus::Torn);
  EXPECT_EQ(bench.protocol_errors(), std::vector<std::string>{});
  bench.ledger.finish(kernel_now());
  const EnergyReport report = bench.ledger.report();
  EXPECT_EQ(report.components.at(0).name, "die0");
  EXPECT_EQ(report.components.at(0).states.at(2).residency, 495'604'000U);
  EXPECT_EQ(report.components.at(1).states.at(3).residency, 499'875'000U);
}

}  // namespace
}  // namespace flashloom::flash_controller_test
