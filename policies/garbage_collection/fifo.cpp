// FIFO (LRU, circular log): the block that was closed first, regardless of its valid units; fully valid blocks are
// skipped. O(1). Robinson, "Analysis of steady-state segment storage utilizations in a log-structured file system with
// least-utilized segment cleaning", OSR 1996, calls the circular log age-threshold cleaning's limit; Desnoyers, SYSTOR
// 2012, analyses it as LRU cleaning.
#include "policies/garbage_collection/closing_order.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::fifo {
namespace {

class Fifo final : public GarbageCollectionPolicy {
 public:
  explicit Fifo(const GarbageCollectionContext& context) : order_(context) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    order_.closed(block, valid_units);
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    order_.invalidated(block, valid_units);
  }
  std::uint32_t victim(std::uint64_t) override { return order_.fewest_valid_of_first(1); }
  void removed(std::uint32_t block) override { order_.removed(block); }
  void state(StateArchive& archive) override { order_.state(archive); }

 private:
  ClosingOrder order_;
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "fifo",
     .summary = "the block that was closed first (LRU cleaning, circular log)",
     .source = "Desnoyers, Analytic modeling of SSD write performance, SYSTOR 2012",
     .parameters = {}},
    [](const GarbageCollectionContext& context, const ParameterValues&) { return std::make_unique<Fifo>(context); }};

}  // namespace
}  // namespace flashloom::garbage_collection::fifo
