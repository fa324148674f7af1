// The feature Host Memory Buffer: a driver lends memory, asks for it back, and resets the controller.
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/nvme_bench.hpp"

namespace flashloom::nvme_host_memory_test {
namespace {

using nvme::Status;

constexpr std::uint32_t kFeature = 0x0d;
constexpr std::uint32_t kPage = 4096;

// The drive wants four pages and accepts two; the map has seven.
DeviceConfig device(std::vector<std::string> more = {}) {
  std::vector<std::string> overrides = {"verify=true",     "buffer.size=64 KiB",
                                        "ftl.kind=dftl",   "ftl.kind.cmt_size=64 B",
                                        "hmb.size=16 KiB", "hmb.minimum=8 KiB"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return preset("tiny", overrides);
}

struct Driver {
  explicit Driver(NvmeBench& of) : bench(of), host(of.host), list(host.allocate(kPage)) {}

  nvme::Entry feature(std::uint8_t opcode, std::uint32_t dword11 = 0) const {
    nvme::Entry entry{};
    entry.opcode = opcode;
    entry.dword10 = kFeature;
    entry.dword11 = dword11;
    return entry;
  }
  /// Lends pieces with these numbers of pages, and reports `pages` as their total.
  int lend(const std::vector<std::uint32_t>& pieces, std::uint32_t pages, std::uint32_t skew = 0) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      put(host.memory.at(list), i * 16, std::uint64_t{host.allocate(pieces[i] * kPage)} + skew);
      put(host.memory.at(list), i * 16 + 8, pieces[i]);
    }
    nvme::Entry entry = feature(nvme::kSetFeatures, 1);
    entry.dword12 = pages;
    entry.dword13 = static_cast<std::uint32_t>(list);
    entry.dword15 = static_cast<std::uint32_t>(pieces.size());
    return number_of(host.status_of(0, entry));
  }
  int take_back() { return number_of(host.status_of(0, feature(nvme::kSetFeatures, 0))); }
  std::uint32_t lent() { return host.run(0, feature(nvme::kGetFeatures)).result; }
  std::uint64_t granted() const { return bench.simulation.ssd().host_memory()->granted(); }
  const HostMemoryBuffer::Counters& counts() const { return bench.simulation.ssd().host_memory()->counters(); }
  /// Reads or writes a unit of each translation page.
  void run_all(std::uint8_t opcode) {
    const std::uint64_t data = host.mark();
    const std::uint64_t sectors = bench.simulation.capacity_bytes() / 512;
    for (std::uint64_t lba = 0; lba + 8 <= sectors; lba += 248)
      EXPECT_EQ(host.status_of(1, NvmeHost::io(opcode, lba, 8, data)), Status::Success);
  }
  void write_all() { run_all(nvme::kWrite); }
  void read_all() { run_all(nvme::kRead); }
  template <typename T>
  static void put(std::byte* at, std::size_t offset, T value) {
    std::memcpy(at + offset, &value, sizeof value);
  }

  NvmeBench& bench;
  NvmeHost& host;
  std::uint64_t list;
};

Json with(const std::function<void(Driver&, Json&)>& body) {
  return in_child([&]() -> Json {
    NvmeBench bench(device());
    Json json;
    bench.run_ready([&] {
      Driver driver(bench);
      driver.write_all();
      body(driver, json);
    });
    json["mismatches"] = bench.simulation.oracle()->mismatches();
    return json;
  });
}

TEST(NvmeHostMemory, IsLentAndTakenBack) {
  const Json result = with([](Driver& driver, Json& json) {
    NvmeHost& host = driver.host;
    const std::uint64_t data = host.allocate(kPage);
    host.run(0, host.identify(1, 0, data));
    std::uint32_t wish[2];
    std::memcpy(wish, host.memory.at(data) + 272, sizeof wish);
    json["wish"] = {wish[0], wish[1]};
    json["before"] = {driver.lent(), driver.granted()};
    driver.read_all();
    json["hits_before"] = driver.counts().hits;

    json["lend"] = driver.lend({1, 3}, 4);
    json["then"] = {driver.lent(), driver.granted()};
    json["again"] = driver.lend({4}, 4);
    nvme::Entry attributes = driver.feature(nvme::kGetFeatures);
    attributes.pointer1 = data;
    host.run(0, attributes);
    std::uint32_t words[4];
    std::memcpy(words, host.memory.at(data), sizeof words);
    json["attributes"] = {words[0], words[1] == driver.list, words[2], words[3]};
    driver.read_all();
    driver.read_all();
    json["hits"] = driver.counts().hits > 0;

    json["back"] = driver.take_back();
    json["after"] = {driver.lent(), driver.granted(), driver.counts().revocations};
    const std::uint64_t looked_up = driver.counts().hits + driver.counts().misses;
    driver.read_all();
    json["looked_up"] = driver.counts().hits + driver.counts().misses - looked_up;
    json["twice"] = driver.take_back();
    json["less"] = driver.lend({2}, 2);
    json["granted_less"] = driver.granted();
  });
  EXPECT_EQ(result["wish"], Json({4, 2}));
  EXPECT_EQ(result["before"], Json({0, 0}));
  EXPECT_EQ(result["hits_before"], 0);
  EXPECT_EQ(result["lend"], 0);
  EXPECT_EQ(result["then"], Json({1, 4 * kPage}));
  EXPECT_EQ(result["again"], number_of(Status::SequenceError));
  EXPECT_EQ(result["attributes"], Json({4, true, 0, 2}));
  EXPECT_TRUE(result["hits"]);
  EXPECT_EQ(result["back"], 0);
  EXPECT_EQ(result["after"], Json({0, 0, 1}));
  EXPECT_EQ(result["looked_up"], 0);
  EXPECT_EQ(result["twice"], 0);
  EXPECT_EQ(result["less"], 0);
  EXPECT_EQ(result["granted_less"], 2 * kPage);
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmeHostMemory, RefusesWhatDoesNotAddUp) {
  const Json result = with([](Driver& driver, Json& json) {
    json["sum"] = driver.lend({1, 3}, 5);
    json["skew"] = driver.lend({4}, 4, 512);
    json["little"] = driver.lend({1}, 1);
    json["none"] = driver.lend({}, 4);
    json["granted"] = driver.granted();
  });
  for (const char* const key : {"sum", "skew", "little", "none"})
    EXPECT_EQ(result[key], number_of(Status::InvalidField)) << key;
  EXPECT_EQ(result["granted"], 0);
}

TEST(NvmeHostMemory, IsLostWithTheController) {
  const Json result = with([](Driver& driver, Json& json) {
    json["lend"] = driver.lend({4}, 4);
    driver.read_all();
    driver.host.enable();
    json["after"] = {driver.lent(), driver.granted(), driver.counts().losses};
    driver.host.create_queues(1, 64);
    driver.read_all();
    json["again"] = driver.lend({4}, 4);
    driver.read_all();
    json["hits"] = driver.counts().hits > 0;
  });
  EXPECT_EQ(result["lend"], 0);
  EXPECT_EQ(result["after"], Json({0, 0, 1}));
  EXPECT_EQ(result["again"], 0);
  EXPECT_TRUE(result["hits"]);
  EXPECT_EQ(result["mismatches"], 0);
}

// A drive that wants no host memory does not have the feature.
TEST(NvmeHostMemory, IsNoFeatureOfADriveThatWantsNone) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny"));
    Json json;
    bench.run_ready([&] {
      nvme::Entry entry{};
      entry.opcode = nvme::kGetFeatures;
      entry.dword10 = kFeature;
      json["get"] = number_of(bench.host.status_of(0, entry));
    });
    return json;
  });
  EXPECT_EQ(result["get"], number_of(Status::InvalidField));
}

}  // namespace
}  // namespace flashloom::nvme_host_memory_test
