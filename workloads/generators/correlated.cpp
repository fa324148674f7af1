// correlated: data that were written together are later updated together: the locality that COLD (2016) looks for. The
// region is divided into sets. A visit updates or reads one whole set, request by request; several visits proceed at
// the same time, with requests in turn. Single writes that belong to no visit come between them. Spatially correlated
// sets are contiguous; sets with only temporal correlation lie scattered. No parameter comes from the paper, which
// measures with fio and analyses traces.
#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/permutation.hpp"

namespace flashloom::generator::correlated {
namespace {

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto bytes = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Bytes, .minimum = 512, .maximum = 1 << 30, .help = help};
  };
  return with({bytes("size", 16 << 10, "size of a request"),
               bytes("set", 128 << 10, "size of a set, a multiple of the request's"),
               {.name = "layout",
                .default_value = std::string("contiguous"),
                .choices = {"contiguous", "scattered"},
                .help = "of a set: spatial, or temporal correlation alone"},
               {.name = "streams",
                .default_value = std::int64_t{4},
                .minimum = 1,
                .maximum = 256,
                .help = "sets that are visited at the same time, a request of each in turn"},
               share_parameter("correlated", 0.8,
                               "share of the requests that belong to a set's visit; the rest are single writes"),
               share_parameter("read", 0.3, "share of the visits that read the set; the rest update it"),
               {.name = "theta", .default_value = 0.9, .minimum = 0, .maximum = 20, .help = "skew (zipf) of the sets"}},
              RequestBudget::parameters());
}

class CorrelatedSource final : public RequestSource {
 public:
  CorrelatedSource(const GeneratorValues& values, const GeneratorContext& context)
      : budget_(values, context),
        random_(derived_seed(context.seed, 0)),
        size_(values.count("size")),
        set_(set_of(values, context.space)),
        sets_(context.space.capacity / (size_ * set_)),
        correlated_(values.real("correlated")),
        read_(values.real("read")),
        scattered_(values.text("layout") == "scattered"),
        rank_(sets_, values.real("theta")),
        popularity_(sets_, derived_seed(context.seed, 1)),
        places_(sets_ * set_, derived_seed(context.seed, 2)),
        visits_(values.count("streams")) {}

  bool next(Request& request) override {
    if (budget_.spent()) return false;
    request = Request{};
    request.kind = RequestKind::Write;
    request.length = size_;
    if (random_.chance(correlated_)) {
      Visit& visit = visits_[turn_];
      turn_ = turn_ + 1 == visits_.size() ? 0 : turn_ + 1;
      if (visit.left == 0) visit = {popularity_(rank_(random_) - 1), set_, random_.chance(read_)};
      const std::uint64_t slot = visit.set * set_ + (set_ - visit.left--);
      request.offset = (scattered_ ? places_(slot) : slot) * size_;
      if (visit.read) request.kind = RequestKind::Read;
    } else {
      request.offset = random_.below(sets_ * set_) * size_;
    }
    budget_.count(request);
    return true;
  }
  std::uint64_t expected_requests() const override { return budget_.expected(size_); }

 private:
  struct Visit {
    std::uint64_t set = 0;
    std::uint64_t left = 0;  // requests
    bool read = false;
  };

  static std::uint64_t set_of(const GeneratorValues& values, const DeviceSpace& space) {
    const std::uint64_t size = values.count("size");
    check_size("size", size, space);
    check_size("set", values.count("set"), space);
    if (values.count("set") % size != 0) throw GeneratorError("set", "is no multiple of the size of a request");
    return values.count("set") / size;
  }

  RequestBudget budget_;
  Random random_;
  std::uint64_t size_;
  std::uint64_t set_;  // requests
  std::uint64_t sets_;
  double correlated_;
  double read_;
  bool scattered_;
  ZipfRank rank_;
  RandomPermutation popularity_;
  RandomPermutation places_;
  std::vector<Visit> visits_;
  std::size_t turn_ = 0;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<CorrelatedSource>(values, context)};
}

const GeneratorRegistration registration{{.name = "correlated",
                                          .summary = "sets of data that are updated together, several at a time",
                                          .source = "the locality of COLD (2016); parameters are ours",
                                          .parameters = parameters(),
                                          .make = &make}};

}  // namespace
}  // namespace flashloom::generator::correlated
