// Sequential reads of drives that read ahead: not slower than random ones, nor with more of them in flight.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

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

/// A device, and reads of it of one size. DRAM is quick, since it serves whole pages first come, first served, so that
/// reads that end at one instant on several channels delay what follows. There are no cache reads, which cost tRCBSY
/// even where they gain nothing.
struct Drawn {
  DeviceConfig config = preset("tiny", {"precondition.fill=1", "host.driver=polling"});
  std::uint64_t bytes = *rc::gen::element(4U, 8U, 16U, 32U, 128U) << 10;
  std::uint32_t depth = 1U << *rc::gen::inRange(0, 6);

  Drawn() {
    NandConfig& nand = config.nand;
    nand.channels = *rc::gen::inRange(2, 5);
    nand.ways = *rc::gen::inRange(1, 4);
    nand.planes = *rc::gen::element(1, 2);
    nand.pages_per_program = *rc::gen::element(1, 1, 3);
    nand.multi_plane_program = nand.planes > 1 && *rc::gen::arbitrary<bool>();
    nand.multi_plane_read = nand.planes > 1 && *rc::gen::arbitrary<bool>();
    nand.unit_layout = *rc::gen::element(std::string("plane_first"), std::string("page_first"));
    nand.page_register = *rc::gen::arbitrary<bool>();
    nand.read_time = {*rc::gen::element(10U, 50U, 90U) * kMicrosecond};
    nand.transfer_rate = *rc::gen::element(400U, 1200U) * std::uint64_t{1'000'000};
    nand.pages = 192;
    config.ftl.mapping_unit = *rc::gen::element(4096U, 8192U);
    nand.page_size = config.ftl.mapping_unit * *rc::gen::element(1U, 2U, 4U);
    const std::uint64_t row = std::uint64_t{nand.channels} * nand.ways * nand.planes * nand.page_size;
    nand.blocks = static_cast<std::uint32_t>((std::uint64_t{5} << 28) / (row * nand.pages)) + 16;
    config.ftl.logical_size = std::uint64_t{1} << 30;
    config.cpu.cores = *rc::gen::element(1U, 2U, 4U);
    config.dram.bandwidth = 12'800'000'000;
    config.dram.size = 256 << 20;
    const std::uint64_t stripe = row * nand.pages_per_program;
    config.buffer.read_ahead = *rc::gen::element(0U, 1U, 2U) * stripe;
    config.buffer.read_cache = config.buffer.read_ahead == 0 ? 0 : *rc::gen::element(0.5, 1.0);
    config.buffer.size = std::max<std::uint64_t>(1 << 20, 8 * config.buffer.read_ahead);
    RC_LOG() << nand.channels << " x " << nand.ways << " x " << nand.planes << " (" << nand.multi_plane_program
             << nand.multi_plane_read << nand.page_register << "), " << nand.pages_per_program << " pages, "
             << nand.unit_layout << ", page " << nand.page_size << ", unit " << config.ftl.mapping_unit << ", tR "
             << nand.read_time.front() / kMicrosecond << " us, " << nand.transfer_rate / 1'000'000 << " MT/s; "
             << config.cpu.cores << " cores; ahead " << config.buffer.read_ahead << " of " << config.buffer.read_cache
             << "; " << bytes << " B x " << depth << std::endl;
  }

  double rate(std::uint32_t in_flight, bool random) const {
    std::vector<Request> requests(std::max<std::uint64_t>(1024, (std::uint64_t{8} << 20) / bytes));
    Random place(1);
    for (std::uint64_t i = 0; i < requests.size(); ++i)
      requests[i] = {.offset = bytes * (random ? place.below((std::uint64_t{1} << 30) / bytes) : i),
                     .length = bytes,
                     .kind = RequestKind::Read};
    return simulate(config, {{requests, in_flight, 0}})["host"]["read"]["bandwidth_bytes_per_s"].get<double>();
  }
};

// Not without read-ahead where a program unit has several pages: neighbours then lie on one die, while random reads are
// spread over all. Nor where more is in flight than the window has, or four requests: read-ahead has little to do.
RC_GTEST_PROP(SequentialReadsOfAnyDevice, AreNotSlowerThanRandomOnes, ()) {
  const Drawn drawn;
  const NandConfig& nand = drawn.config.nand;
  const std::uint64_t ahead = drawn.config.buffer.read_ahead;
  RC_PRE((ahead != 0 ? std::max(4U, drawn.depth) * drawn.bytes <= ahead
                     : nand.pages_per_program == 1 && !nand.multi_plane_program));
  // Requests for one page share its die: 10 % without read-ahead.
  const double tolerance = ahead != 0 ? kTolerance : 0.1;
  RC_ASSERT(drawn.rate(drawn.depth, false) >= (1 - tolerance) * drawn.rate(drawn.depth, true));
}

// Without read-ahead, whose window fits some depths better than others. 10 %: reads of
// two pages that wait at a die may come in turns, and then none finds its page.
RC_GTEST_PROP(SequentialReadsOfAnyDevice, AreNotSlowerWithMoreInFlight, ()) {
  Drawn drawn;
  drawn.config.buffer.read_ahead = 0;
  drawn.config.buffer.read_cache = 0;
  RC_ASSERT(drawn.rate(2 * drawn.depth, false) >= 0.9 * drawn.rate(drawn.depth, false));
}

}  // namespace
}  // namespace flashloom::sequential_reads_test
