// GREEDY DUAL: evicts the logical block with the largest greedy cost, buffered pages x LRU value, where the LRU value
// is the block's position in the order of last writes, 1 for the most recent one (figure 6 of the paper was not
// available; that older is larger is inferred from its purpose). Ties go to the older block.
//
// Exact, without a heap, in which a single write would make every entry stale: among blocks of one page count only the
// oldest can win, so it suffices to compare one block for each page count in use, with its position from a Fenwick
// tree. O(log n) a write; victim O(c log n) for c different page counts; the loop below stops as soon as even the
// oldest position could not win.
#include "policies/registry.hpp"
#include "policies/write_buffer/block_policy.hpp"
#include "policies/write_buffer/recency_ranks.hpp"

namespace flashloom::write_buffer::greedy_dual {
namespace {

struct GreedyDualOrder {
  static constexpr StampOf kStamp = StampOf::LastWrite;
  GreedyDualOrder(const WriteBufferContext& context, const ParameterValues&)
      : blocks(context.pages_per_block), ranks(context.capacity) {}

  void enter(BufferedBlock& block) {
    blocks.insert(block);
    if (block.ranked == block.stamp) return;  // its count has changed, not its position
    if (block.ranked != 0) ranks.remove(block);
    ranks.append(block);
    block.ranked = block.stamp;
  }
  void leave(BufferedBlock& block) { blocks.erase(block); }
  void gone(BufferedBlock& block) {
    if (block.ranked != 0) ranks.remove(block);
    block.ranked = 0;
  }
  BufferedBlock* first() {
    BufferedBlock* best = nullptr;
    std::uint64_t best_cost = 0;
    std::uint32_t best_rank = 0;
    for (std::uint32_t count = blocks.largest(); count != 0; count = blocks.largest_below(count)) {
      if (std::uint64_t{count} * ranks.size() < best_cost) break;
      BufferedBlock& oldest = blocks.oldest(count);
      const std::uint32_t rank = ranks.rank(oldest);
      const std::uint64_t cost = std::uint64_t{count} * rank;
      if (cost < best_cost || (cost == best_cost && rank < best_rank)) continue;
      best = &oldest;
      best_cost = cost;
      best_rank = rank;
    }
    return best;
  }

  BlocksByCount blocks;
  RecencyRanks<BufferedBlock> ranks;
};

const Registration<WriteBufferPolicy> registration{
    {.name = "greedy_dual",
     .summary = "largest product of buffered pages and age in the LRU order",
     .source = "GREEDY DUAL of Park et al., NVRAM write buffers for an FTL (docs/reference/write_buffer.md)",
     .parameters = {sequential_parameter("reset")}},
    make_block_policy<GreedyDualOrder>};

}  // namespace
}  // namespace flashloom::write_buffer::greedy_dual
