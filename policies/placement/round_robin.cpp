// Round robin: consecutive program units go to consecutive dies, across channels first, then ways, then dies of a way:
// the widest interleaving.
#include "policies/placement/placement.hpp"

namespace flashloom {
namespace {

class RoundRobin final : public PlacementPolicy {
 public:
  explicit RoundRobin(const PlacementContext& context) : dies_(context.dies()) {}

  std::uint32_t next_die(std::uint64_t) override {
    const std::uint32_t die = next_;
    next_ = next_ + 1 == dies_ ? 0 : next_ + 1;
    return die;
  }
  void state(StateArchive& archive) override { archive(next_); }

 private:
  std::uint32_t dies_;
  std::uint32_t next_ = 0;
};

const Registration<PlacementPolicy> registration{
    {.name = "round_robin",
     .summary = "channel first, then way, then die: the widest interleaving",
     .source = "page striping as in Agrawal et al., Design Tradeoffs for SSD Performance, USENIX ATC 2008",
     .parameters = {}},
    [](const PlacementContext& context, const ParameterValues&) { return std::make_unique<RoundRobin>(context); }};

}  // namespace
}  // namespace flashloom
