// BLOCK LRU: evicts the logical block written longest ago. O(log n) a write, O(p log p) for the p pages that leave.
#include "policies/registry.hpp"
#include "policies/write_buffer/block_policy.hpp"

namespace flashloom::write_buffer::block_lru {
namespace {

const Registration<WriteBufferPolicy> registration{
    {.name = "block_lru",
     .summary = "least recently written logical block",
     .source = "BLOCK LRU of Park et al., NVRAM write buffers for an FTL (docs/reference/write_buffer.md)",
     .parameters = {sequential_parameter("reset")}},
    make_block_policy<OldestFirst>};

}  // namespace
}  // namespace flashloom::write_buffer::block_lru
