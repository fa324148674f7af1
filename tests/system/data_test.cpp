// Real bytes through a whole drive: only fio's verify finds a wrong byte that the payload store returns.
#include <gtest/gtest.h>

#include "sc_main/assembly/system/fio_bytes.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::data_test {
namespace {

constexpr std::uint64_t kBlocks = 64;
constexpr std::uint64_t kBlock = 4096;

/// Writes each block once, in order.
class Blocks final : public PacedSource {
 public:
  bool next(Request& request) override {
    if (given_ == kBlocks) return false;
    request = Request{.offset = given_++ * kBlock, .length = kBlock, .kind = RequestKind::Write};
    return true;
  }
  void advance(std::uint64_t) override {}
  Pace pace() const override { return {}; }

 private:
  std::uint64_t given_ = 0;
};

/// Corrupts one stored byte of block 10 before the block is read back.
class Injector final : public HostObserver {
 public:
  explicit Injector(Simulation& simulation) : simulation_(simulation) {}
  void submitted(const IoCommand& command, std::uint32_t) override {
    const std::uint64_t sector = 10 * kBlock / 512 + 3;
    if (command.operation != IoOperation::Read || command.offset != 10 * kBlock) return;
    simulation_.oracle()->each_version([&](SectorToken token, std::uint64_t at) {
      if (at == sector) done = simulation_.payloads()->corrupt(token, at);
    });
  }
  void completed(const IoCommand&, std::uint32_t, bool) override {}
  bool done = false;

 private:
  Simulation& simulation_;
};

Json run(bool inject) {
  return in_child([&]() -> Json {
    const DeviceConfig config = preset("tiny", {"verify=true"});
    Simulation simulation(config, {.bytes = true});
    simulation.precondition();
    FioBytes bytes("job", {{.kind = FioVerify::Kind::Crc32c, .interval = kBlock}, 0, 1});
    auto source = std::make_unique<FioVerifiedSource>(std::make_unique<Blocks>(), bytes.contents());
    bytes.reads_back(source.get());
    std::vector<HostJob> jobs(1);
    jobs[0].iodepth = 8;
    jobs[0].bytes = &bytes;
    jobs[0].pacing = source.get();
    jobs[0].source = std::move(source);
    Injector injector(simulation);
    if (inject) simulation.host().attach(injector);
    simulation.run(std::move(jobs));
    return {{"injected", injector.done},
            {"checked", bytes.contents().checked()},
            {"wrong", bytes.contents().wrong()},
            {"first", bytes.contents().first_wrong()},
            {"mismatches", simulation.oracle()->mismatches()}};
  });
}

TEST(Data, WhatIsRightIsFoundRight) {
  const Json result = run(false);
  EXPECT_EQ(result["checked"], kBlocks);
  EXPECT_EQ(result["wrong"], 0);
}

TEST(Data, AWrongByteIsFound) {
  const Json result = run(true);
  EXPECT_TRUE(result["injected"]);
  EXPECT_EQ(result["checked"], kBlocks);
  EXPECT_EQ(result["wrong"], 1);
  EXPECT_EQ(result["first"], "the block at offset 40960: its checksum is wrong");
  EXPECT_EQ(result["mismatches"], 0);  // the oracle's tokens are right
}

}  // namespace
}  // namespace flashloom::data_test
