// A read and write cache filled on each miss. A journal on the SSD keeps the map: which segments are cached, and which
// of their data are dirty, is recorded before it takes effect.
#include "policies/registry.hpp"
#include "policies/tiering/demand.hpp"

namespace flashloom::tiering::write_back {
namespace {

const Registration<TieringPolicy> registration{
    {.name = "write_back",
     .summary = "read and write cache filled on each miss; its map is kept by a journal",
     .source = "as dm-cache, bcache and flashcache do",
     .parameters = DemandTier::parameters()},
    [](const TieringContext& context, const ParameterValues& values) {
      return std::make_unique<DemandTier>(context, TieringTraits{}, values);
    }};

}  // namespace
}  // namespace flashloom::tiering::write_back
