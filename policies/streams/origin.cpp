// By origin: host data in one stream, GC's copies, which have already outlived a block, in blocks of their own. Usual
// in page-mapping FTLs; Van Houdt, "On the necessity of hot and cold data identification to reduce the write
// amplification in flash-based SSDs", Performance Evaluation 82, 2014 ("double greedy").
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::streams::origin {
namespace {

class ByOrigin final : public StreamPolicy {
 public:
  std::uint32_t count() const override { return 1; }
  std::string name(std::uint32_t) const override { return "host"; }
  std::uint32_t stream_of(std::uint32_t, StreamHint) override { return 0; }
  void state(StateArchive&) override {}
};

const Registration<StreamPolicy> registration{
    {.name = "origin",
     .summary = "host data and GC's copies apart",
     .source = "Van Houdt, Performance Evaluation 82, 2014",
     .parameters = {}},
    [](const StreamContext&, const ParameterValues&) { return std::make_unique<ByOrigin>(); }};

}  // namespace
}  // namespace flashloom::streams::origin
