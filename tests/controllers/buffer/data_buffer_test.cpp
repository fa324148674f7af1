#include "controllers/buffer/data_buffer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/controllers/buffer/buffer_bench.hpp"

namespace flashloom::data_buffer_test {
namespace {

using buffer_bench::NoFlash;
using buffer_bench::NotingFtl;
using Numbers = std::vector<std::uint64_t>;

// Four slots, of which one may be on its way to flash.
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
  // Three are resident, one is on its way; each that comes to flash makes room for one more.
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

TEST(DataBuffer, AWriteThatFindsItsUnitWhenItIsWokenLetsTheNextOneHaveTheRoom) {
  Drive drive;
  drive.write(drive.command(1, 0, 4));
  for (const std::uint64_t number : {2U, 3U}) drive.write(drive.command(number, 10));
  drive.write(drive.command(4, 20));
  drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1, 2}));
  drive.ftl.program();
  EXPECT_EQ(drive.done, (Numbers{1, 2, 3, 4}));  // 3 overwrites what 2 brought, and needs no room
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
  EXPECT_NE(drive.buffer.send(command, sent), nullptr);  // the table has room for one
  drive.ftl.program();
  EXPECT_EQ(drive.buffer.send(command, sent), nullptr);
  EXPECT_EQ(drive.ftl.order, (std::vector<std::uint32_t>{0, 1, 2000}));
}

}  // namespace
}  // namespace flashloom::data_buffer_test
