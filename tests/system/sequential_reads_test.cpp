// Sequential reads of drives that read ahead: not slower than random ones, nor with more of them in flight.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::sequential_reads_test {
namespace {

constexpr double kTolerance = 0.02;

class SequentialReads : public testing::TestWithParam<std::string> {
 protected:
  /// Bytes/s of reads of `kib` KiB, 64 MiB in all, or of 4 MiB times the depth.
  static double rate(std::uint64_t kib, std::uint32_t depth, bool random) {
    const DeviceConfig config =
        preset(GetParam(), {"nand.blocks=24", "nand.slc_blocks=0", "nand.slc_dynamic=0", "ftl.logical_size=2 GiB",
                            "precondition.fill=1", "host.driver=polling"});
    const std::uint64_t bytes = kib << 10, total = std::max<std::uint64_t>(64, 4 * depth) << 20;
    std::vector<Request> requests(total / bytes);
    Random place(1);
    for (std::uint64_t i = 0; i < requests.size(); ++i)
      requests[i] = {.offset = bytes * (random ? place.below((std::uint64_t{1} << 30) / bytes) : i),
                     .length = bytes,
                     .kind = RequestKind::Read};
    return simulate(config, {{requests, depth, 0}})["host"]["read"]["bandwidth_bytes_per_s"].get<double>();
  }
};

TEST_P(SequentialReads, AreNotSlowerThanRandomOnesOrWithMoreInFlight) {
  for (const std::uint64_t kib : {4, 16, 128}) {
    double fewer = 0;
    for (std::uint32_t depth = 1; depth <= 64; depth *= static_cast<std::uint32_t>(effort(8, 2))) {
      const double in_order = rate(kib, depth, false);
      EXPECT_GE(in_order, (1 - kTolerance) * rate(kib, depth, true)) << kib << " KiB, depth " << depth;
      EXPECT_GE(in_order, (1 - kTolerance) * fewer) << kib << " KiB, depth " << depth;
      fewer = std::max(fewer, in_order);
    }
  }
}

std::vector<std::string> that_read_ahead() {
  std::vector<std::string> names = preset_names();
  std::erase_if(names, [](const std::string& name) { return preset(name).buffer.read_ahead == 0; });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Presets, SequentialReads, testing::ValuesIn(that_read_ahead()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace flashloom::sequential_reads_test
