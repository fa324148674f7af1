// The toy of CONTRIBUTING.md ("Add an FTL feature"): a part that counts the program units of each block.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "controllers/ftl/kinds/page_map.hpp"
#include "tests/support/ftl_writes.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::toy_feature_test {
namespace {

// The listing of CONTRIBUTING.md begins here.
/// Counts how often each block was programmed.
class ProgramCounts final : public ProgramObserver {
 public:
  ProgramCounts(const BlockTable& blocks, Programmer& programmer) : counts_(blocks.size()) { programmer.attach(*this); }

  std::uint64_t of(BlockNumber block) const { return counts_[block]; }
  void state(StateArchive& archive) { archive(counts_); }

 private:
  void programmed(BlockNumber block, std::uint32_t /*first_page*/, std::uint64_t /*sequence*/, const OobWord* /*words*/,
                  std::uint32_t /*units*/) override {
    ++counts_[block];
  }

  std::vector<std::uint64_t> counts_;
};
// And ends here.

class Device final : public PageMapFtl {
 public:
  explicit Device(const FtlContext& context) : PageMapFtl(context) {}
  ProgramCounts counts{blocks_, programmer_};
};

struct Media : MediaBench {
  Media() : MediaBench(small_dies(1, 16, 8), {}, true) { context.logical_units = context.host_units = 64; }
};

class Bench final : public Media, public FtlWrites {
 public:
  ~Bench() { runtime.destroy_frames(); }
  Device device{context};
};

TEST(ToyFeature, CountsProgramsByBlock) {
  Bench bench;
  for (std::uint32_t unit = 0; unit < 20; ++unit) bench.write(bench.device, unit);
  EXPECT_EQ(bench.device.counts.of(0), 8U);
  EXPECT_EQ(bench.device.counts.of(1), 8U);
  EXPECT_EQ(bench.device.counts.of(2), 4U);
  EXPECT_EQ(bench.device.counts.of(3), 0U);
}

}  // namespace
}  // namespace flashloom::toy_feature_test
