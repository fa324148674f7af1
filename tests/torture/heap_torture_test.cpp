// Power cuts of the object heap at any instant: every completed operation is kept, and each page of an interrupted
// update (or the whole update) is old or new. Some cuts a shape; 10,000 with ./check --long.
#include "sc_main/stack/heap/heap_torture.hpp"

#include <gtest/gtest.h>

#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/unreadable_pages.hpp"

namespace flashloom::heap_torture_test {
namespace {

struct Shape {
  const char* name;
  const char* atomic;
  std::vector<std::string> overrides;
};

// A slow NVM, so that cuts interrupt its writes.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"pages", "page", {}},
      {"pages_of_a_slow_memory", "page", {"heap.nvram.write_latency=20 us", "heap.nvram.bandwidth=50 MB/s"}},
      {"pages_one_by_one", "page", {"heap.cluster=1", "heap.read_ahead=1", "heap.replacement=active_inactive"}},
      {"pages_not_fetched", "page", {"heap.fetch_overwritten=false", "heap.replacement=arc"}},
      {"large_pages", "page", {"heap.page=16 KiB", "heap.nvram.size=2 MiB", "heap.in_flight=16"}},
      {"objects", "object", {}},
      {"objects_of_a_slow_memory",
       "object",
       {"heap.nvram.write_latency=20 us", "heap.nvram.bandwidth=50 MB/s", "heap.nvram.size=512 KiB"}},
      {"objects_with_capacitors", "object", {"power.plp=true", "heap.nvram.size=512 KiB"}}};
  return all;
}

DeviceConfig device_of(const Shape& shape, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(),
                   {"heap.nvram.kind=stt_mram", "heap.nvram.size=768 KiB", "heap.objects=64", "heap.in_flight=64",
                    "nand.blocks=32", std::string("heap.atomic=") + shape.atomic});
  overrides.insert(overrides.end(), shape.overrides.begin(), shape.overrides.end());
  return small_preset("tiny", overrides);
}

class HeapTortures : public testing::TestWithParam<Shape> {};

TEST_P(HeapTortures, KeepWhatTheyPromise) {
  const DeviceConfig config = device_of(GetParam());
  const std::uint64_t cuts = effort(300, 10'000);
  const Json result = in_child([&]() -> Json {
    HeapTorture torture(config, 1);
    const bool good = torture.run(cuts);
    const HeapTortureCounts& counts = torture.counts();
    Json history;
    if (!good)
      for (const std::string& line : torture.failure().history) history.push_back(line);
    return {{"what", good ? "" : torture.failure().what},
            {"history", history},
            {"in_recovery", counts.in_recovery},
            {"old", counts.old_pages},
            {"new", counts.new_pages},
            {"mixed", counts.mixed_updates},
            {"redone", counts.redone},
            {"undone", counts.undone},
            {"swapped_out", counts.swapped_out},
            {"struck", counts.struck}};
  });
  ASSERT_EQ(result["what"], "") << result.dump(1);
  EXPECT_GT(result["in_recovery"], cuts / 10);
  EXPECT_GT(result["swapped_out"], cuts);
  EXPECT_GT(result["old"], 0);
  for (const Json& operation : result["struck"]) EXPECT_GT(operation, 0) << result.dump(1);
  if (std::string(GetParam().atomic) == "page") {
    EXPECT_GT(result["mixed"], 0);
  } else {
    EXPECT_EQ(result["mixed"], 0);
    EXPECT_GT(result["undone"], 0);
  }
  if (std::string(GetParam().name) == "objects_of_a_slow_memory") {
    EXPECT_GT(result["redone"], 0);
    EXPECT_GT(result["new"], 0);
  }
}

// The device cannot read one page in a few dozen: every access to such a page fails until it has been overwritten
// entirely, and no access returns wrong data.
const std::vector<Shape>& unreadable_shapes() {
  static const std::vector<Shape> all = {
      {"pages", "page", {}},
      {"pages_one_by_one", "page", {"heap.cluster=1", "heap.read_ahead=1"}},
      {"pages_not_fetched", "page", {"heap.fetch_overwritten=false", "heap.replacement=arc"}},
      {"pages_smaller_than_units", "page", {"heap.page=1 KiB", "heap.nvram.size=256 KiB"}},
      {"large_pages", "page", {"heap.page=16 KiB", "heap.nvram.size=2 MiB", "heap.in_flight=16"}},
      {"pages_of_failing_blocks", "page", {"nand.program_failure_rate=0.0005", "nand.erase_failure_rate=0.001"}},
      {"pages_of_a_failing_die",
       "page",
       {"nand.ways=4", "nand.blocks=16", "nand.die_failure_at=1000", "nand.errors.base=0",
        "ftl.over_provisioning=1.5"}},
      {"objects", "object", {}},
      {"objects_not_fetched", "object", {"heap.fetch_overwritten=false"}},
      {"objects_of_a_slow_memory",
       "object",
       {"heap.nvram.write_latency=20 us", "heap.nvram.bandwidth=50 MB/s", "heap.nvram.size=512 KiB"}},
      {"objects_in_nvram", "object", {"buffer.location=nvram", "nvram.kind=stt_mram"}}};
  return all;
}

class HeapsThatLosePages : public testing::TestWithParam<Shape> {};

TEST_P(HeapsThatLosePages, SaySoAndNothingElse) {
  const DeviceConfig config = device_of(GetParam(), unreadable_pages(1.8e-3));
  const std::uint64_t cuts = effort(300, 10'000);
  const Json result = in_child([&]() -> Json {
    HeapTorture torture(config, 1);
    const bool good = torture.run(cuts);
    Json history;
    if (!good)
      for (const std::string& line : torture.failure().history) history.push_back(line);
    return {{"what", good ? "" : torture.failure().what},
            {"history", history},
            {"lost", torture.counts().lost_pages},
            {"recovered", torture.counts().recovered_pages},
            {"failed", torture.counts().failed_operations}};
  });
  ASSERT_EQ(result["what"], "") << result.dump(1);
  EXPECT_GT(result["lost"], 0);
  EXPECT_GT(result["recovered"], 0);
  EXPECT_GT(result["failed"], 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, HeapsThatLosePages, testing::ValuesIn(unreadable_shapes()),
                         [](const testing::TestParamInfo<Shape>& of) { return of.param.name; });

INSTANTIATE_TEST_SUITE_P(Shapes, HeapTortures, testing::ValuesIn(shapes()),
                         [](const testing::TestParamInfo<Shape>& of) { return of.param.name; });

}  // namespace
}  // namespace flashloom::heap_torture_test
