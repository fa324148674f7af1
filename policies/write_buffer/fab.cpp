// FAB, flash-aware buffer: evicts the logical block with the most buffered pages, ties to the one referenced longest
// ago, by a read or a write. O(log n) a reference, victim O(1).
// Source: H. Jo, J.-U. Kang, S.-Y. Park, J.-S. Kim, J. Lee, FAB: flash-aware buffer management policy for portable
// media players, IEEE Transactions on Consumer Electronics 52(2), 2006. It has no sequential detector; this one is
// optional.
#include "policies/registry.hpp"
#include "policies/write_buffer/block_policy.hpp"

namespace flashloom::write_buffer::fab {
namespace {

const Registration<WriteBufferPolicy> registration{
    {.name = "fab",
     .summary = "logical block with the most buffered pages, ties by LRU",
     .source = "Jo et al., IEEE TCE 52(2), 2006",
     .parameters = {sequential_parameter("off"), spare_parameter()}},
    make_block_policy<LargestFirst<StampOf::LastReference>>};

}  // namespace
}  // namespace flashloom::write_buffer::fab
