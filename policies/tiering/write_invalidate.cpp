// A read cache: misses enter it; a write goes to the HDD, and evicts its segment from the cache. No data are
// in the cache alone, so it need not survive a power cut: it then starts empty. With LRU the baseline of the PWC
// study.
#include "policies/registry.hpp"
#include "policies/tiering/demand.hpp"

namespace flashloom::tiering::write_invalidate {
namespace {

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = DemandTier::parameters();
  all.push_back({.name = "fill",
                 .default_value = std::string("segment"),
                 .choices = {"segment", "read", "read_drop"},
                 .help = "segment: the HDD is read again, and the whole segment comes in; read: the sectors that the "
                         "read brought, and a write drops its sectors only; read_drop: a write drops the segment"});
  return all;
}

const Registration<TieringPolicy> registration{{.name = "write_invalidate",
                                                .summary = "read cache filled on each miss; a write evicts its segment",
                                                .source = "the LRU cache of Baek and Park's study",
                                                .parameters = parameters()},
                                               [](const TieringContext& context, const ParameterValues& values) {
                                                 const auto fill = values.get<std::string>("fill");
                                                 return std::make_unique<DemandTier>(
                                                     context,
                                                     TieringTraits{.keeps_writes = false,
                                                                   .fills_from_reads = fill != "segment",
                                                                   .writes_drop_segments = fill == "read_drop"},
                                                     values);
                                               }};

}  // namespace
}  // namespace flashloom::tiering::write_invalidate
