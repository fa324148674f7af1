// bursts: ON and OFF periods alternate; requests of a mix arrive at a rate while ON, none while OFF. With Pareto
// periods of shape below 2 the sum of many such jobs is self-similar (Willinger, Taqqu, Sherman, Wilson,
// "Self-similarity through high-variability", IEEE/ACM ToN 5(1), 1997). Open loop.
#include "workloads/generators/arrival_process.hpp"
#include "workloads/generators/request_mix.hpp"

namespace flashloom::generator::bursts {
namespace {

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  constexpr std::int64_t kMs = 1'000'000'000;
  const auto period = [](const char* name, std::int64_t mean, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = mean, .unit = Time, .minimum = 1, .maximum = 1e18, .help = help};
  };
  const auto law = [](const char* name, const char* help) {
    return GeneratorParameter{.name = name,
                              .default_value = std::string("fixed"),
                              .choices = {"fixed", "exponential", "pareto"},
                              .help = help};
  };
  return with(with({period("on", 10 * kMs, "mean length of an ON period"),
                    period("off", 90 * kMs, "mean length of an OFF period"),
                    law("on_distribution", "of the lengths of ON periods"),
                    law("off_distribution", "of the lengths of OFF periods"),
                    {.name = "shape",
                     .default_value = 1.5,
                     .minimum = 1.01,
                     .maximum = 100,
                     .help = "pareto: exponent of the tail; below 2 the variance is infinite"}},
                   arrival_parameters(50'000, "requests a second while ON")),
              RequestMix::parameters());
}

PeriodLaw law_of(const GeneratorValues& values, const std::string& period) {
  const std::string& name = values.text(period + "_distribution");
  PeriodLaw law;
  law.kind = name == "pareto"        ? PeriodLaw::Kind::Pareto
             : name == "exponential" ? PeriodLaw::Kind::Exponential
                                     : PeriodLaw::Kind::Fixed;
  law.mean_ps = static_cast<double>(values.count(period));
  law.shape = values.real("shape");
  return law;
}

class BurstSource final : public RequestSource {
 public:
  BurstSource(const GeneratorValues& values, const GeneratorContext& context)
      : mix_(values, context), arrivals_(options_of(values), context.seed) {}

  bool next(Request& request) override {
    if (!mix_.next(request)) return false;
    request.arrival_ps = arrivals_.next();
    return true;
  }
  std::uint64_t expected_requests() const override { return mix_.expected_requests(); }

 private:
  static ArrivalOptions options_of(const GeneratorValues& values) {
    ArrivalOptions options = arrivals_of(values);
    options.bursts = true;
    options.on = law_of(values, "on");
    options.off = law_of(values, "off");
    return options;
  }

  RequestMix mix_;
  ArrivalProcess arrivals_;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<BurstSource>(values, context), .timed = true};
}

const GeneratorRegistration registration{{.name = "bursts",
                                          .summary = "a mix that arrives in bursts: ON and OFF periods",
                                          .source = "ON/OFF sources, Willinger et al., IEEE/ACM ToN 5(1), 1997",
                                          .parameters = parameters(),
                                          .make = &make}};

}  // namespace
}  // namespace flashloom::generator::bursts
