// Each seeded fault must be caught: by a read that does not verify, by the audit or the recount at the end, or by a
// failing run. Without the fault the same runs are clean, which shows that the checks catch the fault itself.
#include "controllers/runtime/fault.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::fault_test {
namespace {

struct Case {
  Fault fault;
  const char* name;
  bool cut;            ///< shows only at a power cut
  bool nvram = false;  ///< needs the data buffer in NVRAM
};

const Case kCases[] = {{Fault::StaleCopy, "StaleCopy", false},
                       {Fault::LostUnit, "LostUnit", false},
                       {Fault::EarlyAcknowledge, "EarlyAcknowledge", true},
                       {Fault::SwappedUnits, "SwappedUnits", false},
                       {Fault::FillDropped, "FillDropped", false},
                       {Fault::TrimIgnored, "TrimIgnored", false},
                       {Fault::TrimUncovers, "TrimUncovers", false},
                       {Fault::OlderVersion, "OlderVersion", true},
                       {Fault::EarlyErase, "EarlyErase", false},
                       {Fault::StaleEntry, "StaleEntry", false},
                       {Fault::TornHeader, "TornHeader", true, true},
                       {Fault::WrongSector, "WrongSector", false}};

/// The error of a run; empty: none.
std::string verdict(const DeviceConfig& config, const std::vector<TestJob>& jobs) {
  try {
    const Json result = simulate(config, jobs);
    if (result["verify"]["mismatches"] != 0) return result["verify"]["first_mismatch"];
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

struct Shape {
  const char* preset;
  std::vector<std::string> overrides;
};

/// Units smaller than a page, units of one page, tiny and large buffers.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"tiny", {"nand.page_size=16 KiB", "nand.blocks=14", "nand.pages=8", "buffer.size=64 KiB"}},
      {"tiny", {"buffer.size=32 KiB"}},
      {"mqsim-default", {}}};
  return all;
}

/// Requests that overlap in address and time.
std::vector<TestJob> workload(const DeviceConfig& config, std::uint64_t seed, bool few_units) {
  MixOptions mix = mix_for(config, seed, 1500);
  if (few_units) mix.capacity = std::uint64_t{64} * mix.unit;
  mix.hot = seed % 2 != 0 ? 70 : 40;
  mix.fua = 15;
  return {{random_mix(mix), 16, 0}};
}

class SeededFault : public testing::TestWithParam<Case> {};

TEST_P(SeededFault, IsCaught) {
  constexpr std::uint64_t kSeeds = 40;
  const auto& [which, name, cut, nvram] = GetParam();
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const Shape& shape : shapes()) {
      std::vector<std::string> overrides = shape.overrides;
      overrides.insert(overrides.end(), {"precondition.fill=0.8", "power.off_time=1 ms"});
      if (nvram)  // slow enough for cuts to interrupt writes, and large enough for frequent rewrites
        overrides.insert(overrides.end(), {"buffer.location=nvram", "nvram.kind=pcm", "nvram.write_latency=100 us",
                                           "buffer.size=1 MiB"});
      if (cut && seed % 2 == 0) overrides.push_back("buffer.mode=write_through");
      DeviceConfig config = small_preset(shape.preset, overrides);
      const std::vector<TestJob> jobs = workload(config, seed, nvram);
      if (cut) {
        const auto length = simulate(config, jobs)["end_ps"].get<Picoseconds>();
        Random random(seed);
        config.power.cut_at = length / 10 + random.below(length * 8 / 10);
        // Late in the run: an error in a unit that is rewritten so often would soon be overwritten.
        if (nvram) config.power.cut_at = length / 10 * 8 + random.below(length / 10);
      }
      selected_fault = which;
      const std::string caught = verdict(config, jobs);
      selected_fault = Fault::None;
      if (caught.empty()) continue;
      std::printf("seed %d: %s\n", static_cast<int>(seed), caught.c_str());
      EXPECT_EQ(verdict(config, jobs), "") << "without the fault";
      return;
    }
  }
  FAIL() << "nobody noticed in " << kSeeds << " runs";
}

INSTANTIATE_TEST_SUITE_P(Faults, SeededFault, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace flashloom::fault_test
