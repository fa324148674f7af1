// First come, first served at each die, whatever the command and whoever wants it: the baseline of every scheduling
// study (for example NOOP in Jung and Kandemir's Sprinkler, HPCA 2014). A host read waits for every erase before it.
#include <memory>

#include "controllers/flash/arbitration.hpp"
#include "policies/registry.hpp"

namespace flashloom::arbitration::fifo {
namespace {

class Fifo final : public Arbitration {
 public:
  std::uint32_t lane(FlashOperation, Origin) const override { return 0; }
  std::uint32_t choose(const DieQueues&) const override { return 0; }
};

const Registration<Arbitration> registration{
    {.name = "fifo",
     .summary = "commands of a die in their order of arrival",
     .source = "the baseline of scheduling studies, e.g. Jung and Kandemir, Sprinkler, HPCA 2014",
     .parameters = {}},
    [](const ArbitrationContext&, const ParameterValues&) { return std::make_unique<Fifo>(); }};

}  // namespace
}  // namespace flashloom::arbitration::fifo
