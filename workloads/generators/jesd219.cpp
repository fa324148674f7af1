// jesd219: the enterprise endurance workload of JEDEC JESD219, which SNIA's composite test (PTS ECW) uses, too: random
// requests of twelve sizes, half of them to the first twentieth of the addresses. The standard's client workload is a
// trace, and no part of this.
#include <algorithm>
#include <array>

#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"

namespace flashloom::generator::jesd219 {
namespace {

struct SizeShare {
  std::uint64_t bytes;
  double per_cent;
};
constexpr std::array<SizeShare, 12> kSizes = {{{512, 4},
                                               {1024, 1},
                                               {1536, 1},
                                               {2048, 1},
                                               {2560, 1},
                                               {3072, 1},
                                               {3584, 1},
                                               {4096, 67},
                                               {8192, 10},
                                               {16384, 7},
                                               {32768, 3},
                                               {65536, 3}}};
/// A range of addresses ends at this share of them, and gets so many per cent of the requests.
struct RangeShare {
  double end;
  double per_cent;
};
constexpr std::array<RangeShare, 3> kRanges = {{{0.05, 50}, {0.2, 30}, {1, 20}}};
constexpr std::uint64_t kAligned = 4096;  // requests from this size on begin at its multiples; smaller ones lie within

template <class Shares>
std::vector<double> weights_of(const Shares& shares) {
  std::vector<double> weights;
  for (const auto& share : shares) weights.push_back(share.per_cent);
  return weights;
}

class EnduranceSource final : public RequestSource {
 public:
  EnduranceSource(const GeneratorValues& values, const GeneratorContext& context)
      : budget_(values, context),
        random_(derived_seed(context.seed, 0)),
        read_(values.real("read")),
        sector_(context.space.sector_size),
        blocks_(context.space.capacity / kAligned) {
    if (context.space.capacity < 64 * kSizes.back().bytes)
      throw GeneratorError("requests", "the region is too small for three ranges of addresses; valid: at least 4 MiB");
  }

  bool next(Request& request) override {
    if (budget_.spent()) return false;
    request = Request{};
    request.kind = random_.chance(read_) ? RequestKind::Read : RequestKind::Write;
    const std::uint64_t size = kSizes[size_(random_)].bytes;
    request.length = std::max<std::uint64_t>((size + sector_ - 1) / sector_ * sector_, sector_);
    const std::size_t range = range_(random_);
    const std::uint64_t first = range == 0 ? 0 : end_of(range - 1);
    const std::uint64_t block = first + random_.below(end_of(range) - first);
    request.offset = std::min(block * kAligned, (blocks_ * kAligned - request.length) / kAligned * kAligned);
    if (request.length < kAligned) request.offset += random_.below((kAligned - request.length) / sector_ + 1) * sector_;
    budget_.count(request);
    return true;
  }
  std::uint64_t expected_requests() const override { return budget_.expected(0); }

 private:
  std::uint64_t end_of(std::size_t range) const {
    return static_cast<std::uint64_t>(kRanges[range].end * static_cast<double>(blocks_));
  }

  RequestBudget budget_;
  Random random_;
  double read_;
  std::uint64_t sector_;
  std::uint64_t blocks_;  // of kAligned bytes
  WeightedIndex size_{weights_of(kSizes)};
  WeightedIndex range_{weights_of(kRanges)};
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<EnduranceSource>(values, context)};
}

const GeneratorRegistration registration{
    {.name = "jesd219",
     .summary = "JEDEC's enterprise endurance workload: sizes and address ranges in the standard's shares",
     .source = "JESD219 (2012), enterprise workload; sizes below a sector are a sector",
     .parameters = with({share_parameter("read", 0.4, "share of reads; endurance counts the writes")},
                        RequestBudget::parameters()),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::jesd219
