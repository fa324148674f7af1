// Longest wait of host writes under saturated random writes in steady state: a write waits for its own share of copies
// and for the dies' backlog of copies, but never for a whole victim.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "models/nand/nand_geometry.hpp"
#include "policies/registry.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::gc_stalls_test {
namespace {

struct Cells {
  std::string name;
  std::vector<std::string> overrides;
};

struct Case {
  std::string streams;
  Cells cells;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.streams << ' ' << each.cells.name; }

std::vector<Case> cases() {
  const std::vector<Cells> all = {
      {"slc_4k", {"nand.pages=512"}},
      {"slc_16k", {"nand.pages=256", "nand.page_size=16 KiB"}},
      {"tlc_one_shot_2_planes",
       {"nand.pages=768", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3",
        "nand.program_time=[\"1500 us\"]"}},
      {"qlc_16k_planes_apart",
       {"nand.pages=256", "nand.planes=2", "nand.page_size=16 KiB",
        "nand.read_time=[\"70 us\", \"90 us\", \"110 us\", \"130 us\"]",
        "nand.program_time=[\"1 ms\", \"2 ms\", \"3 ms\", \"4 ms\"]"}},
  };
  std::vector<Case> made;
  for (const PartInfo* streams : PartCatalog::instance().parts("streams"))
    for (const Cells& cells : all) made.push_back({streams->name, cells});
  return made;
}

class GcStalls : public testing::TestWithParam<Case> {};

// One free block for each block that host data have open. The bound is the sum of: the backlog of copies that a die may
// have (an eighth of a block, 4 to 64 program units); the program units of host data that the buffer hands over at once
// (4 a die); a share of copies for each of these; the reads of all copies; and one erase. It holds for the longest
// wait, too. Without a bound on the backlog, each block of host data ended with a wait for two victims.
TEST_P(GcStalls, WaitsAreBoundedByWhatIsBehind) {
  std::vector<std::string> overrides = {
      "nand.channels=1",   "nand.ways=2",         "nand.blocks=32",           "ftl.over_provisioning=1.0",
      "buffer.size=1 MiB", "precondition.fill=1", "precondition.steady=true", "ftl.streams=" + GetParam().streams};
  overrides.insert(overrides.end(), GetParam().cells.overrides.begin(), GetParam().cells.overrides.end());
  DeviceConfig config = preset("tiny", overrides);
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  // In addition to the block that garbage collection keeps.
  config.ftl.gc_low = 1 + host_streams(config.ftl) * geometry.planes_apart();
  config.ftl.gc_high = config.ftl.gc_low + 1;
  MixOptions mix = mix_for(config, 3, 30000);
  mix.reads = mix.trims = mix.flushes = mix.fua = mix.hot = 0;
  mix.whole_units = true;
  mix.max_units = 1;
  const Json result = simulate(config, {{random_mix(mix), 16, 0}});

  const double behind = std::clamp(geometry.pages / geometry.program_pages / 8, 4U, 64U);
  const double units = geometry.units_per_program();
  const double waf = result["ftl"]["waf"].get<double>();
  const double programs = behind + 4 * (1 + 2 * (waf - 1));  // a share may be twice the mean
  const double read =
      static_cast<double>(*std::max_element(config.nand.read_time.begin(), config.nand.read_time.end()));
  const double program =
      static_cast<double>(*std::max_element(config.nand.program_time.begin(), config.nand.program_time.end()));
  const double transfer = geometry.page_bytes / 400e6 * 1e12;
  const double bound = programs * (program + units * (read + transfer)) + static_cast<double>(config.nand.erase_time);
  const Json& latency = result["host"]["write"]["latency_ns"];
  EXPECT_LT(latency["p99_9"].get<double>() * 1e3, bound);
  EXPECT_LT(latency["max"].get<double>() * 1e3, bound);
}

INSTANTIATE_TEST_SUITE_P(EveryStream, GcStalls, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.streams + "_" + test.param.cells.name; });

// COLD sends a set of pages to one die, which then has copies for all of them: writes to other dies must not wait for
// it. Throughput was a third of interleaving's when decisions waited until a die had caught up.
TEST(GcStalls, ADieThatIsBehindHoldsUpNoOther) {
  const std::vector<std::string> device = {
      "nand.blocks=64",      "nand.pages=64",     "nand.channels=4",          "nand.ways=2",
      "precondition.fill=1", "buffer.size=4 MiB", "buffer.destage_units=384", "ftl.over_provisioning=0.2"};
  std::vector<std::string> cold = device;
  cold.insert(cold.end(), {"ftl.placement=cold", "buffer.correlation={ name = 'spatial', threshold = 4, limit = 16 }"});
  std::vector<std::string> interleaved = device;
  interleaved.emplace_back("ftl.placement=static_order");
  constexpr std::uint64_t kSet = 128 << 10;
  Random random(3);
  std::vector<Request> sets;
  const std::uint64_t places = capacity_bytes(preset("cosmos-openssd", interleaved)) / kSet;
  for (int set = 0; set < 3000; ++set) {
    const std::uint64_t begin = random.below(places) * kSet;
    for (std::uint64_t at = 0; at < kSet; at += 16 << 10)
      sets.push_back({.offset = begin + at, .length = 16 << 10, .kind = RequestKind::Write});
  }
  const Json apart = simulate(preset("cosmos-openssd", cold), {{sets, 32, 0}});
  const Json together = simulate(preset("cosmos-openssd", interleaved), {{sets, 32, 0}});
  EXPECT_LT(apart["ftl"]["waf"], together["ftl"]["waf"]);
  EXPECT_LT(apart["end_ps"].get<double>(), 1.1 * together["end_ps"].get<double>());
}

}  // namespace
}  // namespace flashloom::gc_stalls_test
