// By host hints: each request names its stream, as with the streams directive of NVMe 1.3 (and multi-stream SSDs,
// Kang et al., HotStorage 2014). A write with the directive names a stream identifier, any number but 0; the drive maps
// it to one of its streams at the first write, and if none is free takes that of the identifier written longest ago,
// which is thereby closed. Writes without the directive go by the number of their request: job of a job file, device of
// a trace.
#include <algorithm>
#include <vector>

#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::streams::host {
namespace {

class HostDirected final : public StreamPolicy {
 public:
  explicit HostDirected(std::uint32_t streams) : streams_(streams) {}

  std::uint32_t count() const override { return streams_; }
  std::string name(std::uint32_t stream) const override { return "stream" + std::to_string(stream); }
  std::uint32_t stream_of(std::uint32_t, StreamHint hint) override {
    if (hint.directive == kStreamsDirective && hint.identifier != 0) return allotted(hint.identifier);
    return hint.number % streams_;
  }
  void state(StateArchive& archive) override {
    std::vector<std::uint32_t> words;
    for (const Open& open : open_) words.push_back(open.identifier << 16 | open.stream);
    archive(words);
    if (!archive.loading()) return;
    open_.clear();
    for (const std::uint32_t word : words) open_.push_back({word >> 16, word & 0xffff});
  }

 private:
  struct Open {
    std::uint32_t identifier;
    std::uint32_t stream;
  };

  std::uint32_t allotted(std::uint32_t identifier) {
    auto found = std::ranges::find(open_, identifier, &Open::identifier);
    if (found == open_.end() && open_.size() < streams_) {
      found = open_.insert(open_.end(), {identifier, static_cast<std::uint32_t>(open_.size())});
    } else if (found == open_.end()) {
      found = open_.begin();
      found->identifier = identifier;
    }
    std::rotate(found, found + 1, open_.end());
    return open_.back().stream;
  }

  std::uint32_t streams_;
  std::vector<Open> open_;  // last written at the end
};

const Registration<StreamPolicy> registration{
    {.name = "host",
     .summary = "the host's word: identifier of the streams directive, or job of a job file, device of a trace; GC's "
                "copies apart",
     .source = "NVMe 1.3, streams directive; Kang et al., HotStorage 2014",
     .parameters = {{.name = "count",
                     .default_value = std::int64_t{4},
                     .minimum = 1,
                     .maximum = kMaxStreams,
                     .choices = {},
                     .help = "streams; a request without a directive goes to its number modulo this"}}},
    [](const StreamContext&, const ParameterValues& values) {
      return std::make_unique<HostDirected>(static_cast<std::uint32_t>(values.get<std::int64_t>("count")));
    }};

}  // namespace
}  // namespace flashloom::streams::host
