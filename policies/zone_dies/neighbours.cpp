// Consecutive dies, which lie on neighbouring channels: consecutive sets share no channel, as long as there are enough
// channels. Like zones on some of the dies in ConfZNS++ (Doekemeijer et al., SYSTOR 2024).
#include "policies/registry.hpp"
#include "policies/zone_dies/zone_dies.hpp"

namespace flashloom::zone_dies::neighbours {
namespace {

class Neighbours final : public ZoneDiesPolicy {
 public:
  explicit Neighbours(const ZoneDiesContext& context) : context_(context) {}

  std::uint32_t die(std::uint32_t set, std::uint32_t member) const override {
    return set * context_.dies_of_set + member;
  }

 private:
  ZoneDiesContext context_;
};

const Registration<ZoneDiesPolicy> registration{
    {.name = "neighbours",
     .summary = "dies that follow each other: on neighbouring channels",
     .source = "Doekemeijer et al., ConfZNS++, SYSTOR 2024",
     .parameters = {}},
    [](const ZoneDiesContext& context, const ParameterValues&) { return std::make_unique<Neighbours>(context); }};

}  // namespace
}  // namespace flashloom::zone_dies::neighbours
