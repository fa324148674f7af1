// BLOCK LRU + CLEAN LIST: a logical block with more than a threshold of buffered pages goes to the clean list, whose
// blocks are evicted before all others; within each list, the block written longest ago goes first. The paper states
// neither the threshold (a parameter here) nor the clean list's order (LRU here, to change nothing else).
// O(log n) a write.
#include <cmath>

#include "policies/registry.hpp"
#include "policies/write_buffer/block_policy.hpp"

namespace flashloom::write_buffer::clean_list {
namespace {

struct CleanListOrder {
  static constexpr StampOf kStamp = StampOf::LastWrite;
  CleanListOrder(const WriteBufferContext& context, const ParameterValues& values)
      : threshold(static_cast<std::uint32_t>(std::floor(values.get<double>("threshold") * context.pages_per_block))) {}

  void enter(BufferedBlock& block) { (block.count > threshold ? clean : others).insert(block); }
  void leave(BufferedBlock& block) { (block.count > threshold ? clean : others).erase(block); }
  void gone(BufferedBlock&) {}
  BufferedBlock* first() {
    if (!clean.empty()) return &clean.oldest();
    return others.empty() ? nullptr : &others.oldest();
  }

  std::uint32_t threshold;
  BlocksByStamp clean;
  BlocksByStamp others;
};

const Registration<WriteBufferPolicy> registration{
    {.name = "clean_list",
     .summary = "blocks above a threshold of pages first, then block LRU",
     .source = "BLOCK LRU + CLEAN LIST of Park et al., NVRAM write buffers for an FTL (docs/reference/write_buffer.md)",
     .parameters = {sequential_parameter("reset"),
                    spare_parameter(),
                    {.name = "threshold",
                     .default_value = 0.5,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "share of a block's pages above which it goes to the clean list"}}},
    make_block_policy<CleanListOrder>};

}  // namespace
}  // namespace flashloom::write_buffer::clean_list
