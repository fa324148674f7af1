// All sequences of up to four commands for two dies of two planes. In any order the flash controller and the channel
// keep the rules of bus, arrays and cells, and the cells end as with the instant back end.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "controllers/flash/instant_flash.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::exhaustive_test {
namespace {

using enum FlashOperation;

constexpr std::uint32_t kDies = 2;
constexpr std::uint32_t kPlanes = 2;
constexpr std::uint32_t kPages = 8;  // rows of a block, so many that no sequence fills a block

NandConfig device(bool planes_together) {
  NandConfig config;
  config.channels = 1;
  config.ways = kDies;
  config.planes = kPlanes;
  config.blocks = 2;
  config.pages = kPages;
  config.multi_plane_program = planes_together;
  config.multi_plane_read = true;
  config.copyback = true;
  return config;
}

/// The commands that a sequence may send to a die, or to one of its planes where planes work independently. The first
/// erase unit of each plane holds data; programs go to the second.
enum class Deed { Read, Program, Erase, ReadTogether, Copyback };
struct Ask {
  Deed deed;
  std::uint32_t die, plane;
};

std::vector<Ask> all_asks(bool planes_together) {
  std::vector<Ask> all;
  for (std::uint32_t die = 0; die < kDies; ++die) {
    all.push_back({Deed::ReadTogether, die, 0});
    for (std::uint32_t plane = 0; plane < (planes_together ? 1 : kPlanes); ++plane)
      for (const Deed deed : {Deed::Read, Deed::Program, Deed::Erase, Deed::Copyback})
        all.push_back({deed, die, plane});
  }
  return all;
}

class Exhaustive : public testing::TestWithParam<bool> {
 protected:
  Exhaustive()
      : together(GetParam()),
        bench(device(together)),
        media(bench.geometry, true, 0),
        instant(media, bench.timing),
        units(bench.geometry.units_per_program()) {}

  // Numbers of erase units and pages: with independent planes block 2 b + p is block b of plane p; with planes together
  // page 2 r + p is row r of plane p.
  std::uint32_t block_of(std::uint32_t number, std::uint32_t plane) const {
    return together ? number : number * kPlanes + plane;
  }

  /// The state before every sequence: the first row of each plane's first block is programmed, all else is erased.
  void reset(NandMedia& cells, std::uint64_t word) {
    for (std::uint32_t die = 0; die < kDies; ++die)
      for (std::uint32_t block = 0; block < bench.geometry.blocks; ++block) {
        OnfiCommand& erase = bench.make(Erase, die, block, 0);
        cells.apply(erase);
        if (block >= block_of(1, 0)) continue;
        OnfiCommand& program = bench.make(Program, die, block, 0);
        for (std::uint32_t unit = 0; unit < units; ++unit) program.oob[unit] = word + 10 * die + block + unit;
        cells.apply(program);
      }
  }

  /// The command of one ask; programs take the next page of their block.
  OnfiCommand& make(const Ask& ask, std::uint64_t word) {
    switch (ask.deed) {
      case Deed::Read:
        return bench.make(Read, ask.die, block_of(0, ask.plane), 0);
      case Deed::ReadTogether: {
        OnfiCommand& first = bench.make(Read, ask.die, block_of(0, 0), 0);
        first.together = &bench.make(Read, ask.die, block_of(0, 1), together ? 1 : 0);
        return first;
      }
      case Deed::Erase:
        return bench.make(Erase, ask.die, block_of(0, ask.plane), 0);
      case Deed::Program:
      case Deed::Copyback:
        break;
    }
    std::uint32_t& page = next_page[ask.die * kPlanes + ask.plane];
    OnfiCommand& program = bench.make(Program, ask.die, block_of(1, ask.plane), page);
    page += bench.geometry.program_pages;
    for (std::uint32_t unit = 0; unit < units; ++unit) program.oob[unit] = word + unit;
    if (ask.deed == Deed::Program) return program;
    program.bytes = 0;
    OnfiCommand* last = nullptr;
    OnfiCommand* first = nullptr;
    for (std::uint32_t p = 0; p < bench.geometry.program_pages; ++p) {
      OnfiCommand& read = bench.make(Read, ask.die, block_of(0, ask.plane), p);
      read.bytes = 0;
      read.oob = program.oob + p;
      (last == nullptr ? first : last->together) = &read;
      last = &read;
    }
    first->then = &program;
    return *first;
  }

  void run(const std::vector<Ask>& asks, const std::vector<std::size_t>& choice, Picoseconds gap) {
    const std::uint64_t word = 1000 * ++runs;
    reset(bench.media, word);
    reset(media, word);
    bench.commands.clear();
    bench.oob.clear();
    bench.completed.clear();
    next_page.assign(kDies * kPlanes, 0);
    for (std::size_t i = 0; i < choice.size(); ++i) instant.submit(make(asks[choice[i]], word + 100 * i));
    next_page.assign(kDies * kPlanes, 0);
    std::size_t commands = 0;
    for (std::size_t i = 0; i < choice.size(); ++i) {
      OnfiCommand& first = make(asks[choice[i]], word + 100 * i);
      for_each_of_group(first, [&commands](OnfiCommand&) { ++commands; });
      bench.flash.submit(first);
      if (gap != 0) run_until(kernel_now() + gap);
    }
    run_until(kernel_now() + 20 * kMillisecond);
    std::ostringstream text;
    for (const std::size_t c : choice)
      text << ' ' << static_cast<int>(asks[c].deed) << '/' << asks[c].die << '/' << asks[c].plane;
    ASSERT_EQ(bench.completed.size(), commands) << text.str();
    ASSERT_EQ(bench.media.digest(), media.digest()) << text.str();
    ASSERT_EQ(bench.protocol_errors(), std::vector<std::string>{}) << text.str();
    ASSERT_EQ(bench.flash.pending(), 0U) << text.str();
  }

  bool together;
  FlashBench bench;
  NandMedia media;
  InstantFlash instant;
  std::uint32_t units;
  std::vector<std::uint32_t> next_page;
  std::uint64_t runs = 0;
};

TEST_P(Exhaustive, NoOrderBreaksARule) {
  const std::vector<Ask> asks = all_asks(together);
  for (std::size_t length = 1; length <= 4; ++length) {
    std::vector<std::size_t> choice(length);
    for (bool more = true; more;) {
      // All commands at one instant; sequences of up to three also 30 us or 51 us apart, while the command before is in
      // the array or on the bus.
      run(asks, choice, 0);
      if (length <= 3) {
        run(asks, choice, 30 * kMicrosecond);
        run(asks, choice, 51 * kMicrosecond);
      }
      if (HasFatalFailure()) return;
      std::size_t digit = 0;
      while (digit < length && ++choice[digit] == asks.size()) choice[digit++] = 0;
      more = digit < length;
    }
  }
  EXPECT_EQ(bench.flash.counters(), instant.counters());
  std::printf("%llu sequences\n", static_cast<unsigned long long>(runs));
}

INSTANTIATE_TEST_SUITE_P(Planes, Exhaustive, testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Together" : "Apart"); });

}  // namespace
}  // namespace flashloom::exhaustive_test
