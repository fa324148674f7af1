// Waits for buffer room, worked by hand. A wait is explained by the program that ended it, by what the die did before
// that program, and by the programs before it.
#include "controllers/buffer/room_waits.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "controllers/flash/die_history.hpp"

namespace flashloom::room_waits_test {
namespace {

std::uint64_t of(const RoomWaitCounts& counts, RoomCause cause) {
  return counts.causes[static_cast<std::size_t>(cause)];
}

std::uint64_t sum(const RoomWaitCounts& counts) {
  return std::accumulate(counts.causes.begin(), counts.causes.end(), std::uint64_t{0});
}

OnfiCommand done(FlashOperation operation, Origin origin, Picoseconds begin, Picoseconds end) {
  OnfiCommand command{};
  command.operation = operation;
  command.origin = origin;
  command.at.array_begin = begin;
  command.at.array_end = end;
  return command;
}

// The map is read until 110, data are fetched until 120, firmware runs until 130; the program reaches the die's queue
// at 140, is issued at 200 and then loads for 10 over the bus.
ProgramInstants program(const DieHistory* history, std::uint32_t die = 3) {
  ProgramInstants at{
      .begin = 100, .mapped = 110, .fetched = 120, .updated = 130, .flash = {}, .die = die, .history = history};
  at.flash = {.queued = 140,
              .issued = 200,
              .granted = 205,
              .loaded = 210,
              .array_begin = 210,
              .array_end = 300,
              .data_begin = 300,
              .complete = 300};
  return at;
}

TEST(RoomWaits, FollowTheProgramThatMadeRoom) {
  DieHistory history;
  history.note(done(FlashOperation::Read, Origin::Host, 130, 150));
  history.note(done(FlashOperation::Program, Origin::Gc, 150, 170));
  history.note(done(FlashOperation::Erase, Origin::Gc, 175, 190));
  RoomWaits waits;
  waits.programmed(program(&history), 300);
  RoomWaitCounts counts;
  waits.explain(90, 300, counts);
  EXPECT_EQ(counts.waits, 1u);
  EXPECT_EQ(counts.time, 210u);
  EXPECT_EQ(sum(counts), 210u);
  EXPECT_EQ(of(counts, RoomCause::Destager), 10u);  // 90 to 100
  EXPECT_EQ(of(counts, RoomCause::Map), 10u);
  EXPECT_EQ(of(counts, RoomCause::Dram), 10u);
  EXPECT_EQ(of(counts, RoomCause::Cpu), 10u);
  EXPECT_EQ(of(counts, RoomCause::BlockTurn), 10u);
  EXPECT_EQ(of(counts, RoomCause::DieRead), 10u);  // 140 to 150
  EXPECT_EQ(of(counts, RoomCause::DieCollection), 20u);
  EXPECT_EQ(of(counts, RoomCause::DieErase), 15u);
  EXPECT_EQ(of(counts, RoomCause::DieQueue), 15u);  // 170 to 175, 190 to 200
  EXPECT_EQ(of(counts, RoomCause::BusWait), 5u);
  EXPECT_EQ(of(counts, RoomCause::Bus), 5u);
  EXPECT_EQ(of(counts, RoomCause::Array), 90u);
  ASSERT_EQ(counts.dies.times.size(), 4u);
  EXPECT_EQ(counts.dies.times[3], 160u);
}

TEST(RoomWaits, BeginWhereTheWriteCame) {
  RoomWaits waits;
  waits.programmed(program(nullptr), 300);
  RoomWaitCounts counts;
  waits.explain(250, 305, counts);  // woken 5 after the program made room
  EXPECT_EQ(of(counts, RoomCause::Array), 50u);
  EXPECT_EQ(of(counts, RoomCause::Destager), 5u);
  EXPECT_EQ(sum(counts), 55u);
  EXPECT_EQ(counts.dies.times[3], 50u);
}

TEST(RoomWaits, GoBackFromProgramToProgram) {
  RoomWaits waits;
  ProgramInstants first = program(nullptr, 0);
  waits.programmed(first, 300);
  waits.programmed(first, 300);  // for another unit of the same program
  ProgramInstants second{
      .begin = 310, .mapped = 310, .fetched = 310, .updated = 310, .flash = {}, .die = 1, .history = nullptr};
  second.flash = {.queued = 310,
                  .issued = 310,
                  .granted = 310,
                  .loaded = 320,
                  .array_begin = 320,
                  .array_end = 420,
                  .data_begin = 420,
                  .complete = 420};
  waits.programmed(second, 420);
  RoomWaitCounts counts;
  waits.explain(200, 420, counts);
  EXPECT_EQ(of(counts, RoomCause::Array), 190u);    // 210 to 300, 320 to 420
  EXPECT_EQ(of(counts, RoomCause::Destager), 10u);  // 300 to 310
  EXPECT_EQ(of(counts, RoomCause::Bus), 15u);       // 205 to 210, 310 to 320
  EXPECT_EQ(of(counts, RoomCause::BusWait), 5u);
  EXPECT_EQ(sum(counts), 220u);
  EXPECT_EQ(counts.dies.times[0], 100u);
  EXPECT_EQ(counts.dies.times[1], 110u);
}

TEST(RoomWaits, WithoutAProgramAreTheDestagers) {
  RoomWaits waits;
  waits.programmed({}, 0);  // the instant clock books no instants
  RoomWaitCounts counts;
  waits.explain(10, 50, counts);
  EXPECT_EQ(of(counts, RoomCause::Destager), 40u);
}

TEST(RoomWaits, AreCountedSinceAnEarlierCopy) {
  RoomWaits waits;
  waits.programmed(program(nullptr), 300);
  RoomWaitCounts counts;
  waits.explain(250, 300, counts);
  const RoomWaitCounts before = counts;
  waits.explain(290, 300, counts);
  counts -= before;
  EXPECT_EQ(counts.waits, 1u);
  EXPECT_EQ(counts.time, 10u);
  EXPECT_EQ(of(counts, RoomCause::Array), 10u);
  EXPECT_EQ(counts.dies.times[3], 10u);
}

}  // namespace
}  // namespace flashloom::room_waits_test
