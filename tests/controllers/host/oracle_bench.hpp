// An oracle and hand-made commands for it. Write number n puts token n into its sectors; a new device holds zeroes.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "controllers/host/oracle.hpp"

namespace flashloom::oracle_test {

inline constexpr std::uint32_t kSector = 512;
inline constexpr std::uint64_t kUnit = 4;  // sectors a mapping unit

/// An oracle, and the commands that it judges, in sectors.
struct Bench {
  explicit Bench(bool power_cuts = false, bool durable_writes = false, bool durable_trims = false,
                 std::uint64_t zone = 0, bool host_keeps = false)
      : oracle({.capacity_bytes = 64 * kSector,
                .sector_bytes = kSector,
                .unit_bytes = kUnit * kSector,
                .durable_writes = durable_writes,
                .power_cuts = power_cuts,
                .durable_trims = durable_trims,
                .zone_bytes = zone * kSector,
                .host_keeps = host_keeps}) {}

  struct Command {
    IoCommand io;
    std::vector<SectorToken> tokens;
  };

  Command& begin(IoOperation operation, std::uint64_t first = 0, std::uint64_t sectors = 1, bool fua = false) {
    Command& command = commands.emplace_back();
    command.tokens.resize(sectors);
    command.io.operation = operation;
    command.io.offset = first * kSector;
    command.io.length = operation == IoOperation::Flush ? 0 : sectors * kSector;
    command.io.fua = fua;
    command.io.tokens = command.tokens.data();
    oracle.submitted(command.io);
    return command;
  }
  void end(Command& command, IoStatus status = IoStatus::Ok) {
    command.io.status = status;
    oracle.completed(command.io);
  }
  /// Ends a read with these tokens; true if the oracle accepts them.
  bool accepts(Command& read, std::vector<SectorToken> seen) {
    read.tokens = std::move(seen);
    read.io.tokens = read.tokens.data();
    const std::uint64_t before = oracle.mismatches();
    end(read);
    return oracle.mismatches() == before;
  }

  Command& begin_write(std::uint64_t first = 0, std::uint64_t sectors = 1) {
    return begin(IoOperation::Write, first, sectors);
  }
  /// Begins and ends a write; returns its token.
  SectorToken write(std::uint64_t first = 0, std::uint64_t sectors = 1, bool fua = false) {
    Command& command = begin(IoOperation::Write, first, sectors, fua);
    const SectorToken token = command.tokens.front();
    end(command);
    return token;
  }
  bool reads(std::uint64_t first, std::vector<SectorToken> seen) {
    Command& read = begin(IoOperation::Read, first, seen.size());
    return accepts(read, std::move(seen));
  }
  void trim(std::uint64_t first, std::uint64_t sectors) { end(begin(IoOperation::Trim, first, sectors)); }
  void flush() { end(begin(IoOperation::Flush)); }
  /// The number of histories that are open when the next command has come.
  std::size_t histories() {
    EXPECT_TRUE(reads(63, {0}));
    return oracle.histories();
  }

  Oracle oracle;
  std::deque<Command> commands;
};

}  // namespace flashloom::oracle_test
