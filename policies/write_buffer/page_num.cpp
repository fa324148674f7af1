// PAGE NUM: evicts the logical block with the most buffered pages, regardless of age, ties to the one that entered
// first (the paper says a heap by count alone, and nothing of ties). O(log n) a write, victim O(1).
#include "policies/registry.hpp"
#include "policies/write_buffer/block_policy.hpp"

namespace flashloom::write_buffer::page_num {
namespace {

const Registration<WriteBufferPolicy> registration{
    {.name = "page_num",
     .summary = "logical block with the most buffered pages",
     .source = "PAGE NUM of Park et al., NVRAM write buffers for an FTL (docs/reference/write_buffer.md)",
     .parameters = {sequential_parameter("reset"), spare_parameter()}},
    make_block_policy<LargestFirst<StampOf::Entry>>};

}  // namespace
}  // namespace flashloom::write_buffer::page_num
