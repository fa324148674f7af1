// A read cache: what is missed comes in; a write goes to the HDD, and its segment leaves the cache. No data are in the
// cache alone, so that nothing of it need outlive a power cut: then it starts empty. With LRU the rival of the PWC
// study.
#include "policies/registry.hpp"
#include "policies/tiering/demand.hpp"

namespace flashloom::tiering::write_invalidate {
namespace {

const Registration<TieringPolicy> registration{{.name = "write_invalidate",
                                                .summary = "read cache filled on each miss; a write evicts its segment",
                                                .source = "the LRU cache of Baek and Park's study",
                                                .parameters = DemandTier::parameters()},
                                               [](const TieringContext& context, const ParameterValues& values) {
                                                 return std::make_unique<DemandTier>(
                                                     context, TieringTraits{.keeps_writes = false}, values);
                                               }};

}  // namespace
}  // namespace flashloom::tiering::write_invalidate
