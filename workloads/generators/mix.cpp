// mix: sequential and random requests, reads and writes, in given shares: IOmeter's access specification (percent
// read, percent random, sizes by percent), with skewed places as in fio's random_distribution and YCSB (Cooper et al.,
// SoCC 2010). Closed loop, or open loop at a rate.
#include "workloads/generators/arrival_process.hpp"
#include "workloads/generators/request_mix.hpp"

namespace flashloom::generator::mix {
namespace {

class MixSource final : public RequestSource {
 public:
  MixSource(const GeneratorValues& values, const GeneratorContext& context) : mix_(values, context) {
    if (values.real("rate") > 0) arrivals_.emplace(arrivals_of(values), context.seed);
  }

  bool next(Request& request) override {
    if (!mix_.next(request)) return false;
    if (arrivals_) request.arrival_ps = arrivals_->next();
    return true;
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    return arrivals_ ? 0 : mix_.pass_reads(most, bytes);
  }
  std::uint64_t expected_requests() const override { return mix_.expected_requests(); }

 private:
  RequestMix mix_;
  std::optional<ArrivalProcess> arrivals_;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<MixSource>(values, context), .timed = values.real("rate") > 0};
}

const GeneratorRegistration registration{
    {.name = "mix",
     .summary = "sequential and random reads and writes in given shares",
     .source = "IOmeter's access specification; skew as fio and YCSB have it",
     .parameters = with(RequestMix::parameters(), arrival_parameters(0, "requests a second; 0: closed loop")),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::mix
