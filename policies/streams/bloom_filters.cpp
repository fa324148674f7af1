// Hot and cold by multiple Bloom filters: Park and Du, "Hot data identification for flash-based storage systems using
// multiple Bloom filters", MSST 2011. A write enters its unit into the next filter, in turn, that does not hold it.
// After every `decay` writes the filter that was cleared longest ago is cleared. So a unit that was written more often
// lately is in more filters. Filters weigh by recency: of V filters, the one cleared last V, the one before V - 1,
// and so on. Units whose filters weigh `threshold` or more are hot. The paper's sizes (4 filters, 2 hash functions)
// with a window that grows with the device, and 8 bits a write of the decay period.
#include <algorithm>
#include <bit>
#include <vector>

#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::streams::bloom_filters {
namespace {

class BloomFilters final : public StreamPolicy {
 public:
  BloomFilters(const StreamContext& context, const ParameterValues& values)
      : filters_(static_cast<std::uint32_t>(values.get<std::int64_t>("filters"))),
        threshold_(static_cast<std::uint32_t>(values.get<std::int64_t>("threshold"))),
        decay_(static_cast<std::uint64_t>(values.get<std::int64_t>("decay"))) {
    if (threshold_ == 0) threshold_ = filters_ + 1;
    if (decay_ == 0) decay_ = std::max<std::uint64_t>(context.logical_units / 4, 16);
    bits_ = std::max(static_cast<unsigned>(std::bit_width(8 * decay_ - 1)), 6U);  // at least one word
    words_ = (std::size_t{1} << bits_) / 64;
    table_.resize(words_ * filters_);
  }

  std::uint32_t count() const override { return 2; }
  std::string name(std::uint32_t stream) const override { return stream == 0 ? "cold" : "hot"; }

  std::uint32_t stream_of(std::uint32_t unit, StreamHint) override {
    // Two hash functions: the high and the low bits of a product.
    const std::uint64_t product = (unit + std::uint64_t{1}) * 0x9E3779B97F4A7C15;
    const std::uint64_t first = product >> (64 - bits_);
    const std::uint64_t second = (product ^ (product >> 29)) * 0xBF58476D1CE4E5B9 >> (64 - bits_);
    std::uint32_t weight = 0;
    bool entered = false;
    for (std::uint32_t i = 0; i < filters_; ++i) {
      const std::uint32_t filter = (turn_ + i) % filters_;
      bool in = holds(filter, first) && holds(filter, second);
      if (!in && !entered) {
        set(filter, first);
        set(filter, second);
        in = entered = true;
      }
      if (in) weight += filters_ - (newest_ + filters_ - filter) % filters_;
    }
    turn_ = (turn_ + 1) % filters_;
    if (++writes_ == decay_) {
      writes_ = 0;
      newest_ = (newest_ + 1) % filters_;
      std::fill_n(table_.begin() + static_cast<std::ptrdiff_t>(newest_ * words_), words_, 0);
    }
    return weight >= threshold_ ? 1 : 0;
  }

  void state(StateArchive& archive) override {
    archive(turn_, newest_, writes_);
    archive.table(table_.data(), table_.size());
  }

 private:
  bool holds(std::uint32_t filter, std::uint64_t bit) const {
    return ((table_[filter * words_ + bit / 64] >> (bit % 64)) & 1) != 0;
  }
  void set(std::uint32_t filter, std::uint64_t bit) {
    table_[filter * words_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  std::uint32_t filters_;
  std::uint32_t threshold_;
  std::uint64_t decay_;
  unsigned bits_ = 0;  // a filter has 2^bits_ bits
  std::size_t words_ = 0;
  std::vector<std::uint64_t> table_;
  std::uint32_t turn_ = 0;    // filter tried first for the next write
  std::uint32_t newest_ = 0;  // filter cleared last
  std::uint64_t writes_ = 0;  // since that clearing
};

const Registration<StreamPolicy> registration{
    {.name = "bloom_filters",
     .summary = "host data hot or cold by multiple Bloom filters; GC's copies apart",
     .source = "Park and Du, MSST 2011",
     .parameters = {{.name = "filters",
                     .default_value = std::int64_t{4},
                     .minimum = 2,
                     .maximum = 16,
                     .choices = {},
                     .help = "Bloom filters, V"},
                    {.name = "decay",
                     .default_value = std::int64_t{0},
                     .minimum = 0,
                     .maximum = 1LL << 32,
                     .choices = {},
                     .help = "units written until the oldest filter is emptied; 0: a quarter of the logical units"},
                    {.name = "threshold",
                     .default_value = std::int64_t{0},
                     .minimum = 0,
                     .maximum = 136,
                     .choices = {},
                     .help = "a unit is hot whose filters weigh so much: the one emptied last V, the next V - 1, ... "
                             "1; 0: V + 1, more than any alone"}},
     .aliases = {"hot_cold"}},
    [](const StreamContext& context, const ParameterValues& values) {
      return std::make_unique<BloomFilters>(context, values);
    }};

}  // namespace
}  // namespace flashloom::streams::bloom_filters
