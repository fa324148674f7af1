#include "controllers/host_interface/host_protocol.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "controllers/host/host_config.hpp"
#include "models/common/config_problem.hpp"
#include "models/link/link_config.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_protocol_test {
namespace {

/// Queues with the given numbers of commands; the head of each is `command`, of any kind.
class FakeQueues final : public SubmissionQueues {
 public:
  explicit FakeQueues(std::vector<std::uint64_t> commands) : left(std::move(commands)) {}
  const IoCommand* head(std::uint32_t queue) const override { return left[queue] == 0 ? nullptr : &command; }
  std::uint32_t in_device() const override { return inside; }

  std::vector<std::uint64_t> left;
  std::uint32_t inside = 0;
  IoCommand command;
};

constexpr std::uint64_t kEndless = 1'000'000;

class Protocols : public testing::Test {
 protected:
  std::unique_ptr<HostProtocol> make(const char* name, std::uint32_t queues, const std::vector<std::string>& priorities,
                                     std::map<std::string, ParameterValue> parameters = {}) {
    host_.queues = queues;
    host_.queue_priorities = priorities;
    return Family<HostProtocol>::make({name, ParameterValues(std::move(parameters))},
                                      {host_.queues, host_.queue_priorities, interface_, link_});
  }
  std::unique_ptr<HostProtocol> weighted(const std::vector<std::string>& priorities, std::int64_t burst = 1,
                                         std::array<std::int64_t, 3> weights = {4, 2, 1}) {
    return make("nvme", static_cast<std::uint32_t>(priorities.size()), priorities,
                {{"arbitration", std::string("weighted")},
                 {"burst", burst},
                 {"high_weight", weights[0]},
                 {"medium_weight", weights[1]},
                 {"low_weight", weights[2]}});
  }
  /// Queue numbers in the order in which `n` commands are fetched, as digits.
  static std::string order(HostProtocol& protocol, FakeQueues& queues, std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t queue = protocol.pick(queues);
      if (queue == SubmissionQueues::kNone) return text + "-";
      --queues.left.at(queue);
      text += std::to_string(queue);
    }
    return text;
  }
  static std::vector<std::uint64_t> shares(HostProtocol& protocol, std::size_t queues, std::size_t n) {
    FakeQueues all(std::vector<std::uint64_t>(queues, kEndless));
    order(protocol, all, n);
    for (std::uint64_t& each : all.left) each = kEndless - each;
    return all.left;
  }

  HostConfig host_;
  HostInterfaceConfig interface_;
  LinkConfig link_;
};

TEST_F(Protocols, WeightsAreSharesOfTheCommands) {
  const auto usual = weighted({"high", "medium", "low"});
  EXPECT_EQ(shares(*usual, 3, 7000), (std::vector<std::uint64_t>{4000, 2000, 1000}));
  const auto others = weighted({"low", "high", "medium"}, 1, {100, 30, 7});
  EXPECT_EQ(shares(*others, 3, 137 * 50), (std::vector<std::uint64_t>{7 * 50, 100 * 50, 30 * 50}));
  // Queues of one class share its credits round robin.
  const auto twice = weighted({"high", "low", "high", "low"}, 1, {8, 1, 2});
  EXPECT_EQ(shares(*twice, 4, 1000), (std::vector<std::uint64_t>{400, 100, 400, 100}));
}

TEST_F(Protocols, ARoundGoesByTheStandard) {
  const auto one = weighted({"high", "high", "medium", "low"}, 1, {4, 2, 1});
  FakeQueues all({kEndless, kEndless, kEndless, kEndless});
  EXPECT_EQ(order(*one, all, 14), "01012230101223");
  // A turn lasts for the burst, or for what is left of the credits.
  const auto burst = weighted({"high", "high", "medium", "low"}, 4, {6, 2, 1});
  EXPECT_EQ(order(*burst, all, 18),
            "000011223"
            "000011223");
}

TEST_F(Protocols, UrgentStarvesTheOthers) {
  const auto protocol = weighted({"urgent", "high", "urgent"});
  FakeQueues queues({3, 3, 3});
  EXPECT_EQ(order(*protocol, queues, 10), "020202111-");
  queues.left = {1, 5, 0};
  EXPECT_EQ(order(*protocol, queues, 3), "011");
  queues.left[2] = 2;  // arrives while the high queue is served
  EXPECT_EQ(order(*protocol, queues, 4), "2211");
}

TEST_F(Protocols, NobodyWaitsForAnEmptyQueue) {
  const auto protocol = weighted({"high", "medium", "low"});
  FakeQueues queues({0, 0, 5});
  EXPECT_EQ(order(*protocol, queues, 6), "22222-");
  queues.left = {0, 4, 4};
  EXPECT_EQ(order(*protocol, queues, 8), "11211222");
}

TEST_F(Protocols, RoundRobinTakesBursts) {
  const auto four = make("nvme", 3, {}, {{"burst", std::int64_t{4}}});
  ASSERT_TRUE(four->traits().picks);
  FakeQueues queues({6, 2, 9});
  EXPECT_EQ(order(*four, queues, 18), "00001122220022222-");
  const auto endless = make("nvme", 2, {}, {{"burst", std::int64_t{0}}});
  queues.left = {5, 3};
  EXPECT_EQ(order(*endless, queues, 8), "00000111");
}

TEST_F(Protocols, ByDefaultNvmeAddsNothing) {
  const HostProtocol::Traits traits = make("nvme", 4, {})->traits();
  EXPECT_EQ(traits.command_bytes, 64U);
  EXPECT_EQ(traits.completion_bytes, 16U);
  EXPECT_FALSE(traits.picks || traits.frames || traits.held_until_reported);
  EXPECT_EQ(traits.aggregate, 1U);
}

std::vector<std::uint32_t> lists(const HostProtocol& protocol, const IoCommand& command) {
  std::vector<std::uint32_t> pieces;
  for (std::uint32_t piece = 0;; ++piece) {
    const std::uint32_t bytes = protocol.list(command, piece);
    if (bytes == 0) return pieces;
    pieces.push_back(bytes);
  }
}

using Pieces = std::vector<std::uint32_t>;

// A list has 8 bytes for each page behind the first. A list page of 4 KiB has 512 entries; the last one may point to
// the next list page.
TEST_F(Protocols, PrpListsHaveAnEntryForEachPageBehindTheFirst) {
  const auto protocol = make("nvme", 1, {}, {{"fetch_lists", true}});
  IoCommand command;
  const auto of = [&](std::uint64_t length) {
    command.length = length;
    return lists(*protocol, command);
  };
  EXPECT_EQ(of(512), Pieces{});
  EXPECT_EQ(of(8192), Pieces{});  // PRP1 and PRP2
  EXPECT_EQ(of(8192 + 512), (Pieces{16}));
  EXPECT_EQ(of(128 << 10), (Pieces{31 * 8}));
  EXPECT_EQ(of(513 * 4096), (Pieces{4096}));                            // 512 entries fit
  EXPECT_EQ(of(514 * 4096), (Pieces{4096, 2 * 8}));                     // 511 and a pointer, then 2
  EXPECT_EQ(of(2048 * 4096), (Pieces{4096, 4096, 4096, 4096, 3 * 8}));  // 2047 = 4 x 511 + 3
  command.operation = IoOperation::Write;
  EXPECT_EQ(of(16384), (Pieces{24}));
  const auto large = make("nvme", 1, {}, {{"fetch_lists", true}, {"memory_page", std::int64_t{65536}}});
  command.length = 256 << 10;
  EXPECT_EQ(lists(*large, command), (Pieces{24}));
  command.operation = IoOperation::Flush;
  EXPECT_EQ(lists(*large, command), Pieces{});
}

TEST_F(Protocols, TrimsListTheirRanges) {
  const auto nvme = make("nvme", 1, {}, {{"fetch_lists", true}});
  const auto sata = make("sata", 1, {});
  IoCommand command;
  command.operation = IoOperation::Trim;
  command.length = 4096;
  EXPECT_EQ(lists(*nvme, command), (Pieces{16}));
  EXPECT_EQ(lists(*sata, command), (Pieces{512}));
  // An ATA range has 65535 sectors at most, a block of 512 bytes 64 ranges.
  command.length = std::uint64_t{65535} * 512 * 64;
  EXPECT_EQ(lists(*sata, command), (Pieces{512}));
  command.length += 512;
  EXPECT_EQ(lists(*sata, command), (Pieces{1024}));
  const std::vector<IoRange> ranges(65, {0, 512});
  command.ranges = ranges.data();
  command.range_count = 65;
  EXPECT_EQ(lists(*nvme, command), (Pieces{65 * 16}));
  EXPECT_EQ(lists(*sata, command), (Pieces{1024}));
}

TEST_F(Protocols, SataSendsAloneWhatCannotBeQueued) {
  interface_.queue_depth = 32;
  const auto sata = make("sata", 1, {});
  FakeQueues queues({kEndless});
  queues.command.operation = IoOperation::Read;
  EXPECT_EQ(sata->pick(queues), 0U);
  queues.inside = 1;
  EXPECT_EQ(sata->pick(queues), 0U);
  queues.inside = 2;
  for (const IoOperation alone : {IoOperation::Flush, IoOperation::Trim, IoOperation::WriteZeroes}) {
    queues.command.operation = alone;
    queues.inside = 2;
    EXPECT_EQ(sata->pick(queues), SubmissionQueues::kNone);
    queues.inside = 0;
    EXPECT_EQ(sata->pick(queues), 0U);
    queues.inside = 1;
    queues.command.operation = IoOperation::Write;
    EXPECT_EQ(sata->pick(queues), SubmissionQueues::kNone);  // not beside a command in the device
    queues.inside = 0;
    EXPECT_EQ(sata->pick(queues), 0U);
  }
}

TEST_F(Protocols, FramesGoByTheStandard) {
  interface_.queue_depth = 32;
  const auto queued = make("sata", 1, {});
  IoCommand read;
  const CommandFrames fpdma = queued->frames(read);
  EXPECT_EQ(queued->traits().command_bytes, 20U);
  EXPECT_EQ(fpdma.accepted, 20U);
  EXPECT_EQ(fpdma.completion, 8U);
  EXPECT_EQ(fpdma.data->setup, 28U);
  EXPECT_EQ(fpdma.data->data, 8192U);
  interface_.queue_depth = 1;
  const auto plain = make("sata", 1, {});
  EXPECT_EQ(plain->frames(read).accepted, 0U);
  EXPECT_EQ(plain->frames(read).completion, 20U);
  EXPECT_EQ(plain->frames(read).data->setup, 0U);
  IoCommand write;
  write.operation = IoOperation::Write;
  EXPECT_EQ(plain->frames(write).data->setup, 4U);
}

TEST_F(Protocols, WhatDoesNotFitIsRefused) {
  const auto key = [](const std::unique_ptr<HostProtocol>& protocol) -> std::string {
    try {
      protocol->check();
    } catch (const ConfigProblem& problem) {
      return problem.key();
    }
    return "";
  };
  interface_.queue_depth = 32;
  EXPECT_EQ(key(make("nvme", 1, {})), "");
  EXPECT_EQ(key(make("sata", 1, {})), "");
  EXPECT_EQ(key(make("sata", 2, {})), "host.queues");
  EXPECT_EQ(key(make("sata", 1, {"high"})), "host.queue_priorities");
  EXPECT_EQ(key(make("nvme", 2, {"high"})), "host.queue_priorities");  // round robin has no priorities
  EXPECT_EQ(key(weighted({"high", "low"})), "");
  EXPECT_EQ(key(make("nvme", 1, {"high", "low"}, {{"arbitration", std::string("weighted")}})), "host.queue_priorities");
  EXPECT_EQ(key(make("nvme", 1, {}, {{"burst", std::int64_t{3}}})), "host_interface.kind.burst");
  const auto coalesce = [&](std::int64_t threshold, std::int64_t time) {
    return key(make("nvme", 1, {}, {{"coalesce_threshold", threshold}, {"coalesce_time", time}}));
  };
  constexpr std::int64_t kUnit = 100'000'000;
  EXPECT_EQ(coalesce(8, kUnit), "");
  EXPECT_EQ(coalesce(8, 0), "host_interface.kind.coalesce_time");
  EXPECT_EQ(coalesce(1, kUnit), "host_interface.kind.coalesce_time");
  EXPECT_EQ(coalesce(8, kUnit + 1), "host_interface.kind.coalesce_time");
  interface_.queue_depth = 33;
  EXPECT_EQ(key(make("sata", 1, {})), "host_interface.queue_depth");
}

}  // namespace
}  // namespace flashloom::host_protocol_test
