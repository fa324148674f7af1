// The bytes behind the tokens, alone and under an oracle that says which of them can be forgotten.
#include "controllers/host/payload_store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "policies/memory_archive.hpp"
#include "workloads/random.hpp"

namespace flashloom::payload_store_test {
namespace {

constexpr std::uint32_t kSector = 512;
constexpr std::uint32_t kPieceSectors = 8;
using Bytes = std::vector<std::byte>;

/// What write `token` puts into a sector: every third write is one word over and over, the others are noise.
Bytes content(SectorToken token, std::uint64_t sector) {
  Bytes bytes(kSector);
  for (std::uint32_t at = 0; at < kSector; at += 8) {
    const std::uint64_t word = token % 3 == 0 ? token * 7ULL : split_mix(token * 1'000'003ULL + sector, at);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  return bytes;
}

Bytes contents(SectorToken token, std::uint64_t first, std::uint64_t sectors) {
  Bytes bytes;
  for (std::uint64_t i = 0; i < sectors; ++i) {
    const Bytes one = content(token, first + i);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

void put(PayloadStore& store, SectorToken token, std::uint64_t first, std::uint64_t sectors) {
  store.put(token, first, sectors, contents(token, first, sectors).data());
}

Bytes get(PayloadStore& store, const std::vector<SectorToken>& tokens, std::uint64_t first) {
  Bytes bytes(tokens.size() * kSector);
  store.get(tokens.data(), first, tokens.size(), bytes.data());
  return bytes;
}

Bytes get(PayloadStore& store, SectorToken token, std::uint64_t sector) {
  return get(store, std::vector<SectorToken>{token}, sector);
}

TEST(PayloadStore, GivesTheBytesOfEachToken) {
  PayloadStore store({.sector_bytes = kSector});
  put(store, 1, 3, 20);
  put(store, 2, 5, 4);
  EXPECT_EQ(get(store, 1, 5), content(1, 5));
  EXPECT_EQ(get(store, 2, 5), content(2, 5));
  Bytes wanted = contents(1, 4, 1);
  for (const Bytes& part : {contents(2, 5, 3), contents(1, 8, 8), Bytes(kSector)})
    wanted.insert(wanted.end(), part.begin(), part.end());
  EXPECT_EQ(get(store, {1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0}, 4), wanted);
}

TEST(PayloadStore, AnUnknownTokenHasBytesOfItsOwn) {
  PayloadStore store({.sector_bytes = kSector});
  EXPECT_EQ(get(store, 7, 1), get(store, 7, 1));
  EXPECT_NE(get(store, 7, 1), get(store, 7, 2));
  EXPECT_NE(get(store, 7, 1), get(store, 8, 1));
  EXPECT_EQ(get(store, 0, 1), Bytes(kSector));
}

TEST(PayloadStore, NoBytesAreZeroesAndTakeNoMemory) {
  PayloadStore store({.sector_bytes = kSector});
  store.put(1, 0, 64, nullptr);
  store.put(2, 64, 64, Bytes(64 * kSector, std::byte{0xaa}).data());
  EXPECT_EQ(get(store, 1, 63), Bytes(kSector));
  EXPECT_EQ(get(store, 2, 64), Bytes(kSector, std::byte{0xaa}));
  EXPECT_EQ(store.figures().pieces, 16U);
  EXPECT_EQ(store.figures().memory_pieces, 0U);
}

TEST(PayloadStore, SpillsWhatDoesNotFitAndUsesItsPlacesAgain) {
  constexpr std::uint64_t kPieces = 200;
  PayloadStore store({.sector_bytes = kSector, .memory_bytes = 16 * 4096});
  std::uint64_t file_bytes = 0;
  for (int round = 0; round < 5; ++round) {
    for (std::uint64_t piece = 0; piece < kPieces; ++piece)
      put(store, static_cast<SectorToken>(3 * piece + 1), piece * kPieceSectors, kPieceSectors);
    const PayloadStore::Figures full = store.figures();
    EXPECT_EQ(full.memory_pieces, 16U);
    EXPECT_EQ(full.file_pieces, kPieces - 16);
    if (round == 0) file_bytes = full.file_bytes;
    EXPECT_EQ(full.file_bytes, file_bytes);
    for (std::uint64_t piece = 0; piece < kPieces; ++piece)
      for (std::uint64_t i = 0; i < kPieceSectors; ++i) {
        const std::uint64_t sector = piece * kPieceSectors + i;
        ASSERT_EQ(get(store, static_cast<SectorToken>(3 * piece + 1), sector),
                  content(static_cast<SectorToken>(3 * piece + 1), sector));
        store.gone(static_cast<SectorToken>(3 * piece + 1), sector);
      }
    EXPECT_EQ(store.figures().sectors, 0U);
    EXPECT_EQ(store.figures().file_bytes, 0U);
  }
}

TEST(PayloadStore, WhatCompressesIsSmallInTheFile) {
  PayloadStore store({.sector_bytes = kSector, .memory_bytes = 0});
  Bytes text(4096);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>("flashloom "[i % 10]);
  for (SectorToken token = 1; token <= 100; ++token) store.put(token, token * 8ULL, 8, text.data());
  EXPECT_LE(store.figures().file_bytes, 100 * 512U);
  EXPECT_EQ(get(store, std::vector<SectorToken>(8, 1), 8), text);
}

TEST(PayloadStore, KeepsEverythingWhereItMustNotForget) {
  PayloadStore store({.sector_bytes = kSector, .forgets = false});
  put(store, 1, 0, 1);
  store.gone(1, 0);
  EXPECT_EQ(get(store, 1, 0), content(1, 0));
}

TEST(PayloadStore, AFullDiskIsAnErrorThatSaysSo) {
  const rlimit before = [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    return limit;
  }();
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{65536, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  PayloadStore store({.sector_bytes = kSector, .memory_bytes = 0});
  std::string said;
  try {
    for (SectorToken token = 1; token < 1000; token += 3) put(store, token, token * 8ULL, 8);
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(said.find("cannot grow"), std::string::npos) << said;
  EXPECT_NE(said.find("TMPDIR"), std::string::npos) << said;
}

TEST(PayloadStore, ACorruptedSectorDiffersInOneBit) {
  PayloadStore store({.sector_bytes = kSector});
  put(store, 1, 0, 16);
  EXPECT_TRUE(store.corrupt(1, 3));
  EXPECT_NE(get(store, 1, 3), content(1, 3));
  EXPECT_EQ(get(store, 1, 4), content(1, 4));
  EXPECT_FALSE(store.corrupt(2, 3));
  for (std::uint64_t sector = 0; sector < 16; ++sector) store.gone(1, sector);
  EXPECT_EQ(store.figures().pieces, 0U);
}

// ---- Under an oracle ----

constexpr std::uint64_t kSectors = 48;
constexpr std::uint64_t kUnitSectors = 4;

/// Forwards to the store, and checks that the oracle tells of each version once, and only of versions that were put.
struct Listener final : VersionObserver {
  explicit Listener(PayloadStore& told) : store(told) {}
  void gone(SectorToken token, std::uint64_t sector) override {
    RC_ASSERT(live.erase({token, sector}) == 1U);
    store.gone(token, sector);
  }
  PayloadStore& store;
  std::set<std::pair<SectorToken, std::uint64_t>> live;
};

/// A drive of registers: a command takes effect at one instant between submission and completion, sector by sector. The
/// drive also remembers which versions a cut may leave.
class Drive {
 public:
  Drive(std::uint64_t seed, bool cuts)
      : random_(seed),
        store_({.sector_bytes = kSector, .memory_bytes = 8 * 4096}),
        oracle_({.capacity_bytes = kSectors * kSector,
                 .sector_bytes = kSector,
                 .unit_bytes = kUnitSectors * kSector,
                 .durable_writes = false,
                 .power_cuts = cuts}),
        listener_(store_),
        held_(kSectors),
        cuts_(cuts) {
    oracle_.tell(&listener_);
  }

  void step() {
    const std::uint64_t choice = random_.below(100);
    if (open_.empty() || (choice < 45 && open_.size() < 6)) return submit();
    if (cuts_ && choice < 48) return cut();
    if (choice < 60 && random_.below(4) == 0) return reload();
    Command& command = *open_[random_.below(open_.size())];
    if (!command.applied) return apply(command);
    complete(command);
  }
  void finish() {
    while (!open_.empty()) {
      if (!open_.front()->applied) apply(*open_.front());
      complete(*open_.front());
    }
    for (std::uint64_t sector = 0; sector < kSectors; ++sector) read_alone(sector);
    std::uint64_t live = 0;
    oracle_.each_version([&](SectorToken token, std::uint64_t sector) {
      ++live;
      RC_ASSERT(listener_.live.contains({token, sector}));
    });
    RC_ASSERT(live == listener_.live.size());
    RC_ASSERT(live == store_.figures().sectors);
  }

 private:
  struct Command {
    IoCommand io;
    std::vector<SectorToken> tokens;
    std::uint64_t first = 0;
    std::uint64_t sectors = 0;
    bool applied = false;
  };
  using Held = std::vector<SectorToken>;  // the last version is there; a cut may leave one of the others

  void submit() {
    constexpr IoOperation kOperations[] = {IoOperation::Read,  IoOperation::Read, IoOperation::Write,
                                           IoOperation::Write, IoOperation::Trim, IoOperation::WriteZeroes,
                                           IoOperation::Flush};
    auto made = std::make_unique<Command>();
    Command& command = *made;
    command.io.operation = kOperations[random_.below(std::size(kOperations))];
    command.first = random_.below(kSectors);
    command.sectors = 1 + random_.below(std::min<std::uint64_t>(kSectors - command.first, 20));
    if (command.io.operation == IoOperation::Flush) command.first = command.sectors = 0;
    command.io.offset = command.first * kSector;
    command.io.length = command.sectors * kSector;
    command.tokens.resize(command.sectors);
    command.io.tokens = command.tokens.data();
    oracle_.submitted(command.io);
    if (command.io.operation == IoOperation::Write) {
      put(store_, command.tokens[0], command.first, command.sectors);
      for (std::uint64_t i = 0; i < command.sectors; ++i) listener_.live.insert({command.tokens[0], command.first + i});
    }
    open_.push_back(std::move(made));
  }

  void apply(Command& command) {
    command.applied = true;
    if (command.io.operation == IoOperation::Flush)
      for (Held& held : held_)
        if (!held.empty()) held.erase(held.begin(), held.end() - 1);
    for (std::uint64_t i = 0; i < command.sectors; ++i) {
      const std::uint64_t sector = command.first + i;
      Held& held = held_[sector];
      if (held.empty()) held.push_back(0);
      const std::uint64_t unit = sector / kUnitSectors * kUnitSectors;
      const bool whole = unit >= command.first && unit + kUnitSectors <= command.first + command.sectors;
      if (command.io.operation == IoOperation::Read) command.tokens[i] = held.back();
      if (command.io.operation == IoOperation::Write) held.push_back(command.tokens[i]);
      if (command.io.operation == IoOperation::WriteZeroes) held.push_back(0);
      if (command.io.operation == IoOperation::Trim && whole) held.push_back(0);
    }
  }

  void check(const Command& command) {
    RC_ASSERT(oracle_.mismatches() == 0U);
    for (std::uint64_t i = 0; i < command.sectors; ++i) {
      const SectorToken token = command.tokens[i];
      const std::uint64_t sector = command.first + i;
      RC_ASSERT(get(store_, token, sector) == (token == 0 ? Bytes(kSector) : content(token, sector)));
    }
  }

  void complete(Command& command) {
    oracle_.completed(command.io);
    if (command.io.operation == IoOperation::Read) check(command);
    std::erase_if(open_, [&](const auto& open) { return open.get() == &command; });
  }

  void read_alone(std::uint64_t sector) {
    Command read;
    read.first = sector;
    read.sectors = 1;
    read.tokens.resize(1);
    read.io.offset = sector * kSector;
    read.io.length = kSector;
    read.io.tokens = read.tokens.data();
    oracle_.submitted(read.io);
    apply(read);
    oracle_.completed(read.io);
    check(read);
  }

  void cut() {
    for (const auto& open : open_) {
      open->io.status = IoStatus::PowerLost;
      oracle_.completed(open->io);
    }
    open_.clear();
    oracle_.power_cut();
    for (Held& held : held_)
      if (!held.empty()) held = {held[random_.below(held.size())]};
  }

  // Saves the store and loads the copy, which a drive does only while nothing is in flight.
  void reload() {
    if (!open_.empty()) return;
    PayloadStore copy({.sector_bytes = kSector, .memory_bytes = 8 * 4096});
    RC_ASSERT(load_state(copy, saved(store_)));
    RC_ASSERT(copy.figures().sectors == store_.figures().sectors);
    for (const auto& [token, sector] : listener_.live) RC_ASSERT(get(copy, token, sector) == content(token, sector));
  }

  Random random_;
  PayloadStore store_;
  Oracle oracle_;
  Listener listener_;
  std::vector<Held> held_;
  bool cuts_;
  std::vector<std::unique_ptr<Command>> open_;
};

TEST(PayloadStore, HoldsWhatTheOracleMayAcceptAndNothingElse) {
  EXPECT_TRUE(rc::check("random commands, overlapping, with cuts and without", [](std::uint64_t seed) {
    Drive drive(seed, seed % 2 == 0);
    for (int i = 0; i < 600; ++i) drive.step();
    drive.finish();
  }));
}

}  // namespace
}  // namespace flashloom::payload_store_test
