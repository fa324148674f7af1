// BPLRU, block padding LRU: evicts the logical block written longest ago as a whole: pages that are not buffered are
// read from flash first (page padding), so that a log-block FTL below performs only switch merges. A block that is
// written wholly in order leaves first (LRU compensation, here the sequential detector).
// Source: H. Kim, S. Ahn, BPLRU: a buffer management scheme for improving random writes in flash storage, FAST 2008.
#include "policies/registry.hpp"
#include "policies/write_buffer/block_policy.hpp"

namespace flashloom::write_buffer::bplru {
namespace {

constexpr EvictionTraits kPadded{.ghosts = false, .companions = true, .padding = true};

const Registration<WriteBufferPolicy> registration{
    {.name = "bplru",
     .summary = "block LRU with page padding: whole blocks go to the FTL",
     .source = "Kim and Ahn, FAST 2008",
     .parameters = {sequential_parameter("reset")}},
    make_block_policy<OldestFirst, kPadded>};

}  // namespace
}  // namespace flashloom::write_buffer::bplru
