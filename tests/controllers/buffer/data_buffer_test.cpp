#include "controllers/buffer/data_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/controllers/buffer/buffer_bench.hpp"
#include "tests/support/foreign_memories.hpp"

namespace flashloom::data_buffer_test {
namespace {

using buffer_bench::NoFlash;
using buffer_bench::NotingFtl;
using Numbers = std::vector<std::uint64_t>;

// A buffer of four slots, one of which may be in flight to flash.
struct Drive {
  Drive() : Drive(buffer_bench::shape_of(4, 1)) {}
  explicit Drive(const BufferShape& of)
      : shape(of), buffer(shape, buffer_bench::one_part(shape), nullptr, ftl, hardware, nvram) {}

  IoCommand command(std::uint64_t number, std::uint64_t unit, std::uint64_t units = 1) {
    IoCommand command;
    command.operation = IoOperation::Write;
    command.number = number;
    command.offset = unit * 4096;
    command.length = units * 4096;
    return command;
  }
  Task<void> carry_out(IoCommand command) {
    co_await buffer.write(command);
    done.push_back(command.number);
    if (command.status != IoStatus::Ok) refused.push_back(command.number);
  }
  void write(const IoCommand& command) {
    runtime.spawn([this, &command] { return carry_out(command); });
  }

  Runtime runtime;
  Runtime::Scope scope{runtime};
  NoFlash flash;
  Hardware hardware{flash};
  NotingFtl ftl;
  NvramContents nvram;
  BufferShape shape;
  DataBuffer buffer;
  Numbers done;
  Numbers refused;
};

TEST(DataBuffer, AWriteThatHasRoomTakesNoCoroutine) {
  Drive drive;
  IoCommand command = drive.command(1, 0, 3);
  EXPECT_TRUE(drive.buffer.write(command).is_over());
  EXPECT_EQ(drive.buffer.dirty_units(), 3U);
}

TEST(DataBuffer, AWriteWaitsUnitByUnitForRoom) {
  Drive drive;
  drive.write(drive.command(1, 0, 6));
  // Three units are resident and one is in flight; each unit that reaches flash makes room for one more.
  EXPECT_EQ(drive.buffer.dirty_units(), 4U);
  drive.ftl.program();
  EXPECT_TRUE(drive.done.empty());
  drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1}));
  EXPECT_EQ(drive.ftl.order, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(DataBuffer, WritesThatWaitAreServedInTheOrderOfTheirComing) {
  Drive drive;
  drive.write(drive.command(1, 0, 4));
  for (const std::uint64_t number : {2U, 3U, 4U}) drive.write(drive.command(number, 10 * number));
  EXPECT_EQ(drive.done, (Numbers{1}));
  for (int i = 0; i < 3; ++i) drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1, 2, 3, 4}));
}

TEST(DataBuffer, AWriteGetsRoomForAllItsUnitsBeforeTheNextOne) {
  Drive drive;
  drive.write(drive.command(1, 0, 4));
  drive.write(drive.command(2, 10, 3));
  drive.write(drive.command(3, 20, 3));
  for (int i = 0; i < 6; ++i) drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1, 2, 3}));
  // LRU destages units in the order they came: those of the second write before those of the third.
  EXPECT_EQ(drive.ftl.order, (std::vector<std::uint32_t>{0, 1, 2, 3, 10, 11, 12}));
}

TEST(DataBuffer, AWriteThatFindsItsUnitWhenItIsWokenLetsTheNextOneHaveTheRoom) {
  Drive drive;
  drive.write(drive.command(1, 0, 4));
  for (const std::uint64_t number : {2U, 3U}) drive.write(drive.command(number, 10));
  drive.write(drive.command(4, 20));
  drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1, 2}));
  drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1, 2, 3, 4}));  // write 3 overwrites the unit that write 2 brought and needs no room
}

TEST(DataBuffer, WithoutRoomForEverAWriteIsRefused) {
  Drive drive;
  drive.ftl.wear_out();
  drive.write(drive.command(1, 0, 6));
  EXPECT_EQ(drive.refused, (Numbers{1}));
}

TEST(DataBuffer, WhatWaitsForFlashIsSentThere) {
  BufferShape shape = buffer_bench::shape_of(4, 1);
  shape.write_through = true;
  Drive drive(shape);
  IoCommand command = drive.command(1, 0, 2);
  DataBuffer::ToFlash sent = drive.buffer.to_flash(command);
  EXPECT_TRUE(drive.buffer.write(command).is_over());
  EXPECT_NE(drive.buffer.send(command, sent), nullptr);  // the destage table has room for one unit
  drive.ftl.program();
  EXPECT_EQ(drive.buffer.send(command, sent), nullptr);
  EXPECT_EQ(drive.ftl.order, (std::vector<std::uint32_t>{0, 1, 2000}));
}

constexpr Picoseconds kAccess = 10 * kMicrosecond;

/// Serves one access after the other. With `at_once` it answers each at once with the time at which it will end.
struct SlowNvram final : FourPhases {
  explicit SlowNvram(bool says_at_once) : FourPhases("nvram", kNanosecond, kAccess), at_once(says_at_once) {}
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (!at_once) return FourPhases::nb_transport_fw(payload, phase, delay);
    free = std::max<Picoseconds>(free, kernel_now() + delay.value()) + kAccess;
    delay = kernel_time(free - kernel_now());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  bool at_once;
  Picoseconds free = 0;
};

// first: the trimmed unit is on flash already, and NVRAM is just being told; second: the memory answers at once
class TrimInNvram : public testing::TestWithParam<std::pair<bool, bool>> {};

// The write of four units sends its first unit to flash; the trim then covers either that unit or one still resident.
TEST_P(TrimInNvram, IsAcknowledgedWhenNoPowerCutBringsItsDataBack) {
  const auto [on_flash, at_once] = GetParam();
  BufferShape shape = buffer_bench::shape_of(4, 1);
  shape.nvram = true;
  Drive drive(shape);
  drive.nvram.fit(NvramRecords::words(4, 4));
  TimerQueue timers("timers");
  MemoryPort port("port");
  SlowNvram memory(at_once);
  port.socket.bind(memory.socket);
  drive.hardware.use_timed({.flash = &drive.flash, .timers = &timers, .nvram = &port, .at_once = at_once});
  drive.write(drive.command(1, 0, 4));
  sc_core::sc_start(kernel_time(kMillisecond));
  ASSERT_EQ(drive.done, (Numbers{1}));

  if (on_flash) drive.ftl.program();
  IoCommand trim = drive.command(2, on_flash ? 0 : 3);
  Picoseconds acknowledged = 0;
  const auto carry_out = [&]() -> Task<void> {
    co_await drive.buffer.trim(trim, trim.offset, trim.length);
    acknowledged = kernel_now();
  };
  drive.runtime.spawn(carry_out);
  const Picoseconds begun = kernel_now();
  sc_core::sc_start(kernel_time(kMillisecond));
  EXPECT_GE(acknowledged, begun + kAccess);
  EXPECT_LT(acknowledged, begun + 2 * kAccess) << "for one access of the NVRAM";

  drive.nvram.power_cut(acknowledged);
  drive.hardware.use_instant();
  DataBuffer after(shape, buffer_bench::one_part(shape), nullptr, drive.ftl, drive.hardware, drive.nvram);
  drive.runtime.spawn([&] { return after.recover(); });
  EXPECT_EQ(after.dirty_units(), 3U) << "the units that were not trimmed";
}

INSTANTIATE_TEST_SUITE_P(DataBuffer, TrimInNvram,
                         testing::Values(std::pair(false, false), std::pair(false, true), std::pair(true, false),
                                         std::pair(true, true)));

}  // namespace
}  // namespace flashloom::data_buffer_test
