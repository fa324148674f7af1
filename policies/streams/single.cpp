// One stream for everything: GC copies go into the host's blocks, among new data. Log-structured storage without
// separation, as in Rosenblum and Ousterhout, SOSP 1991, before its cleaner sorts.
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::streams::single {
namespace {

class Single final : public StreamPolicy {
 public:
  std::uint32_t count() const override { return 1; }
  std::string name(std::uint32_t) const override { return "host"; }
  bool gc_apart() const override { return false; }
  std::uint32_t stream_of(std::uint32_t, StreamHint) override { return 0; }
  void state(StateArchive&) override {}
};

const Registration<StreamPolicy> registration{
    {.name = "single",
     .summary = "host data and GC's copies share their blocks",
     .source = "Rosenblum and Ousterhout, SOSP 1991",
     .parameters = {}},
    [](const StreamContext&, const ParameterValues&) { return std::make_unique<Single>(); }};

}  // namespace
}  // namespace flashloom::streams::single
