// By the host's word: each request names its stream, as with the streams directive of NVMe 1.3 (and multi-stream SSDs,
// Kang et al., HotStorage 2014). Stream numbers are those of requests: jobs of a job file, devices of a trace.
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::streams::host {
namespace {

class HostDirected final : public StreamPolicy {
 public:
  explicit HostDirected(std::uint32_t streams) : streams_(streams) {}

  std::uint32_t count() const override { return streams_; }
  std::string name(std::uint32_t stream) const override { return "stream" + std::to_string(stream); }
  std::uint32_t stream_of(std::uint32_t, std::uint32_t hint) override { return hint % streams_; }
  void state(StateArchive&) override {}

 private:
  std::uint32_t streams_;
};

const Registration<StreamPolicy> registration{
    {.name = "host",
     .summary = "the request's stream number (job of a job file, device of a trace); GC's copies apart",
     .source = "NVMe 1.3, streams directive; Kang et al., HotStorage 2014",
     .parameters = {{.name = "count",
                     .default_value = std::int64_t{4},
                     .minimum = 1,
                     .maximum = kMaxStreams,
                     .choices = {},
                     .help = "streams; a request goes to its number modulo this"}}},
    [](const StreamContext&, const ParameterValues& values) {
      return std::make_unique<HostDirected>(static_cast<std::uint32_t>(values.get<std::int64_t>("count")));
    }};

}  // namespace
}  // namespace flashloom::streams::host
