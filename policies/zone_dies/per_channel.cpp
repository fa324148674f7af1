// The dies of one channel, or of as few as possible: zones on different channels do not wait for each other's
// transfers, and none is faster than its bus. Isolation by channel: Huang et al., FlashBlox (FAST 2017).
#include "policies/registry.hpp"
#include "policies/zone_dies/zone_dies.hpp"

namespace flashloom::zone_dies::per_channel {
namespace {

class PerChannel final : public ZoneDiesPolicy {
 public:
  explicit PerChannel(const ZoneDiesContext& context) : context_(context) {}

  std::uint32_t die(std::uint32_t set, std::uint32_t member) const override {
    const std::uint32_t n = set * context_.dies_of_set + member;
    const std::uint32_t of_channel = context_.dies / context_.channels;
    return n % of_channel * context_.channels + n / of_channel;
  }

 private:
  ZoneDiesContext context_;
};

const Registration<ZoneDiesPolicy> registration{
    {.name = "per_channel",
     .summary = "dies of one channel, or of as few as can be: what zones do to each other stays there",
     .source = "Huang et al., FlashBlox, FAST 2017",
     .parameters = {}},
    [](const ZoneDiesContext& context, const ParameterValues&) { return std::make_unique<PerChannel>(context); }};

}  // namespace
}  // namespace flashloom::zone_dies::per_channel
