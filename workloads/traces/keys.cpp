// Raw keys, the input of cache simulators: one whole number per line, the number of a page. The traces contain no
// times, operations or sizes: every request reads one page, and only a closed loop can replay them.
#include <limits>
#include <span>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::keys {
namespace {

constexpr std::uint64_t kTickPs = 1;  // unused: the traces have no times

class KeyReader final : public TraceReader {
 public:
  KeyReader(TraceInput input, std::uint64_t page) : TraceReader(std::move(input), kTickPs), page_(page) {}

  bool timed() const override { return false; }
  // next_number() reads the usual lines, which hold only a number. next() reads the first line and all others, and
  // reports their errors.
  std::size_t next_batch(std::span<Request> requests) override {
    const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / page_;
    std::size_t n = 0;
    for (std::uint64_t key = 0; n < requests.size(); ++n) {
      if (begun_ && next_number(key, limit)) {
        requests[n] = {.offset = key * page_, .length = page_};
      } else if (next(requests[n])) {
        begun_ = true;
      } else {
        break;
      }
    }
    return n;
  }

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    std::string_view field;
    require_fields(split_blanks(text, &field, 1), 1, "key");
    record.offset = parse_scaled(field, "key", page_);
    record.length = page_;
    return true;
  }

  std::uint64_t page_;
  bool begun_ = false;
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    std::string_view field;
    return split_blanks(line, &field, 1) == 1 && is_integer(field);
  });
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  return std::make_unique<KeyReader>(std::move(input),
                                     parse_integer(context.parameters.at("page_bytes"), "page_bytes"));
}

const TraceFormatRegistration registration{{.name = "keys",
                                            .aliases = {},
                                            .summary = "raw keys: a number a line, each a page; reads, no times",
                                            .parameters = {{.name = "page_bytes",
                                                            .default_value = "4096",
                                                            .choices = {"512", "4096", "8192", "16384"},
                                                            .help = "bytes of a page"}},
                                            .score = &score,
                                            .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::keys
