// No cache: all requests go to the HDD. The reference case of the PWC study.
#include "policies/registry.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom::tiering::hdd_only {
namespace {

class HddOnly final : public TieringPolicy {
 public:
  HddOnly() : TieringPolicy({.caches = false}) {}
  std::optional<TierExchange> accessed(Segment, Access, bool) override { return std::nullopt; }
};

const Registration<TieringPolicy> registration{
    {.name = "hdd_only", .summary = "the HDD alone, nothing is cached", .source = "classic", .parameters = {}},
    [](const TieringContext&, const ParameterValues&) { return std::make_unique<HddOnly>(); }};

}  // namespace
}  // namespace flashloom::tiering::hdd_only
