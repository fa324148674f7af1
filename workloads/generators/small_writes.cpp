// small_writes: writes of an ordinary desktop on ext2, from the study of the NVRAM write buffer: 60 % of the requests
// are small (up to 8 sectors) and carry 20 % of the volume (block size 4 KiB, 381,904 requests) or 5 % (1 KiB,
// 2,883,502 requests). The traces are not public; this generator has their counts and shares. Sizes of large requests
// (truncated geometric with the mean that the shares imply) and all places (small requests skewed, large ones in runs)
// have no source. `cluster` puts blocks of neighbouring popularity side by side, as a file system does with its
// metadata, without a change of how often each is written.
#include <cmath>

#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/permutation.hpp"

namespace flashloom::generator::small_writes {
namespace {

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto bytes = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Bytes, .minimum = 512, .maximum = 1 << 26, .help = help};
  };
  const auto share = [](const char* name, double value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Ratio, .minimum = 0.001, .maximum = 0.999, .help = help};
  };
  return with(
      {bytes("block", 4096, "block size of the file system: every size is a multiple"),
       bytes("small_limit", 4096, "largest small request; small sizes are equally likely"),
       bytes("large_limit", 128 << 10, "largest request"),
       share("small", 0.6, "share of the requests that are small"),
       share("small_volume", 0.2, "share of the bytes that small requests carry"),
       {.name = "theta", .default_value = 0.9, .minimum = 0, .maximum = 20, .help = "skew (zipf) of small requests"},
       {.name = "run",
        .default_value = 0.5,
        .unit = Ratio,
        .minimum = 0,
        .maximum = 1,
        .help = "share of the large requests that go on where the last large one ended"},
       {.name = "cluster",
        .default_value = 0,
        .unit = Bytes,
        .minimum = 0,
        .maximum = 1 << 26,
        .help =
            "small requests of neighbouring popularity lie together in clusters of this size; 0: each block alone"}},
      RequestBudget::parameters(381'904));
}

/// Weights r^i, i = 0 .. n-1, with mean index `mean`, 0 < mean < n-1; finds r by bisection.
std::vector<double> geometric_weights(std::size_t n, double mean) {
  std::vector<double> weights(n);
  double low = 1e-6;
  double high = 1e6;
  for (int round = 0; round < 200; ++round) {
    const double r = std::sqrt(low * high);
    // For r > 1 the weights are computed from the other end, so that none overflows.
    double sum = 0;
    double moment = 0;
    double weight = 1;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t index = r <= 1 ? i : n - 1 - i;
      weights[index] = weight;
      sum += weight;
      moment += weight * static_cast<double>(index);
      weight *= r <= 1 ? r : 1 / r;
    }
    (moment < mean * sum ? low : high) = r;
  }
  return weights;
}

class SmallWriteSource final : public RequestSource {
 public:
  SmallWriteSource(const GeneratorValues& values, const GeneratorContext& context)
      : budget_(values, context),
        random_(derived_seed(context.seed, 0)),
        block_(values.count("block")),
        small_blocks_(values.count("small_limit") / block_),
        blocks_(context.space.capacity / block_),
        small_(values.real("small")),
        run_(values.real("run")),
        large_(large_weights(values)),
        rank_(blocks_of(values, context), values.real("theta")),
        cluster_(cluster_of(values, context)),
        scatter_(blocks_ / cluster_, derived_seed(context.seed, 1)) {}

  bool next(Request& request) override {
    if (budget_.spent()) return false;
    request = Request{};
    request.kind = RequestKind::Write;
    std::uint64_t first = 0;
    std::uint64_t blocks = 0;
    if (random_.chance(small_)) {
      blocks = 1 + random_.below(small_blocks_);
      first = place(rank_(random_) - 1);
      if (first > blocks_ - blocks) first = blocks_ - blocks;
    } else {
      blocks = small_blocks_ + 1 + large_(random_);
      first = random_.chance(run_) ? cursor_ : random_.below(blocks_ - blocks + 1);
      if (first > blocks_ - blocks) first = 0;
      cursor_ = first + blocks;
    }
    request.offset = first * block_;
    request.length = blocks * block_;
    budget_.count(request);
    return true;
  }
  std::uint64_t expected_requests() const override { return budget_.expected(0); }

 private:
  static std::uint64_t blocks_of(const GeneratorValues& values, const GeneratorContext& context) {
    check_size("block", values.count("block"), context.space);
    check_size("large_limit", values.count("large_limit"), context.space);
    return context.space.capacity / values.count("block");
  }

  static std::uint64_t cluster_of(const GeneratorValues& values, const GeneratorContext& context) {
    if (values.count("cluster") == 0) return 1;
    check_size("cluster", values.count("cluster"), context.space);
    if (values.count("cluster") % values.count("block") != 0)
      throw GeneratorError("cluster", "is no multiple of the block");
    return values.count("cluster") / values.count("block");
  }

  /// The block of a popularity rank. Ranks that fall into the region's last, incomplete cluster are not scattered.
  std::uint64_t place(std::uint64_t rank) const {
    const std::uint64_t cluster = rank / cluster_;
    return cluster == blocks_ / cluster_ ? rank : scatter_(cluster) * cluster_ + rank % cluster_;
  }

  static WeightedIndex large_weights(const GeneratorValues& values) {
    const std::uint64_t block = values.count("block");
    for (const char* const name : {"small_limit", "large_limit"})
      if (values.count(name) % block != 0) throw GeneratorError(name, "is no multiple of the block");
    const std::uint64_t small = values.count("small_limit") / block;
    const std::uint64_t limit = values.count("large_limit") / block;
    if (limit <= small + 1) throw GeneratorError("large_limit", "leaves no choice of large sizes above small_limit");
    // Mean sizes in blocks of small requests, all requests and large requests.
    const double small_mean = (1 + static_cast<double>(small)) / 2;
    const double mean = values.real("small") * small_mean / values.real("small_volume");
    const double large_mean = mean * (1 - values.real("small_volume")) / (1 - values.real("small"));
    const double index = large_mean - static_cast<double>(small + 1);
    if (!(index > 0) || !(index < static_cast<double>(limit - small - 1)))
      throw GeneratorError("small_volume", "needs large requests of " + std::to_string(large_mean) +
                                               " blocks on average, which do not lie between small_limit and "
                                               "large_limit");
    return WeightedIndex(geometric_weights(limit - small, index));
  }

  RequestBudget budget_;
  Random random_;
  std::uint64_t block_;
  std::uint64_t small_blocks_;
  std::uint64_t blocks_;  // blocks of the region
  double small_;
  double run_;
  WeightedIndex large_;  // blocks beyond the smallest large size
  ZipfRank rank_;
  std::uint64_t cluster_;  // blocks
  RandomPermutation scatter_;
  std::uint64_t cursor_ = 0;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<SmallWriteSource>(values, context)};
}

const GeneratorRegistration registration{
    {.name = "small_writes",
     .summary = "writes of a desktop's file system: most requests small, most bytes in large ones",
     .source = "request counts and shares of the NVRAM write buffer study's ext2 traces; places are ours",
     .parameters = parameters(),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::small_writes
