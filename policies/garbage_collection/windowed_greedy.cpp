// Windowed greedy: the fewest valid units among the blocks that were closed first. Between FIFO (a window of one) and
// greedy (all); it needs no index of all blocks. O(window).
// Hu, Eleftheriou, Haas, Iliadis, Pletka, "Write amplification analysis in flash-based solid state drives", SYSTOR
// 2009; Bux and Iliadis, "Performance of greedy garbage collection in flash-based solid-state drives", Performance
// Evaluation 67 (2010).
#include "policies/garbage_collection/closing_order.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::windowed_greedy {
namespace {

class WindowedGreedy final : public GarbageCollectionPolicy {
 public:
  WindowedGreedy(const GarbageCollectionContext& context, std::uint32_t window) : order_(context), window_(window) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    order_.closed(block, valid_units);
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    order_.invalidated(block, valid_units);
  }
  std::uint32_t victim(std::uint64_t) override { return order_.fewest_valid_of_first(window_); }
  void removed(std::uint32_t block) override { order_.removed(block); }
  void state(StateArchive& archive) override { order_.state(archive); }

 private:
  ClosingOrder order_;
  std::uint32_t window_;
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "windowed_greedy",
     .summary = "fewest valid units among the blocks that were closed first",
     .source = "Hu et al., Write amplification analysis in flash-based solid state drives, SYSTOR 2009",
     .parameters = {{.name = "window",
                     .default_value = std::int64_t{32},
                     .minimum = 1,
                     .maximum = 1 << 20,
                     .choices = {},
                     .help = "blocks that are looked at, oldest first; 1: FIFO"}}},
    [](const GarbageCollectionContext& context, const ParameterValues& values) {
      return std::make_unique<WindowedGreedy>(context, static_cast<std::uint32_t>(values.get<std::int64_t>("window")));
    }};

}  // namespace
}  // namespace flashloom::garbage_collection::windowed_greedy
