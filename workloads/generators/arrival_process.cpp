#include "workloads/generators/arrival_process.hpp"

#include <limits>

#include "workloads/distributions.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr double kPsPerSecond = 1e12;
constexpr std::uint64_t kSeedStream = 0x61727269;  // differs from the seed streams of the requests

constexpr double kLargest = 0x1p63;  // ps: 106 days

[[noreturn]] void too_late() {
  throw WorkloadError("generator", 0, "arrivals lie beyond 106 days of simulated time; raise rate, or shorten off");
}

std::uint64_t rounded(double ps) {
  if (ps >= kLargest) too_late();
  return static_cast<std::uint64_t>(ps + 0.5);
}

}  // namespace

double PeriodLaw::draw(Random& random) const {
  switch (kind) {
    case Kind::Exponential:
      return draw_exponential(random, mean_ps);
    case Kind::Pareto:
      return draw_pareto(random, mean_ps, shape);
    case Kind::Fixed:
      break;
  }
  return mean_ps;
}

std::vector<GeneratorParameter> arrival_parameters(double rate, const char* help) {
  const double lowest = rate > 0 ? 1e-6 : 0;
  return {{.name = "rate", .default_value = rate, .minimum = lowest, .maximum = 1e9, .help = help},
          {.name = "arrivals",
           .default_value = std::string("poisson"),
           .choices = {"poisson", "fixed"},
           .help = "exponential or even times between arrivals"}};
}

ArrivalOptions arrivals_of(const GeneratorValues& values) {
  ArrivalOptions options;
  options.gap_ps = kPsPerSecond / values.real("rate");
  options.poisson = values.text("arrivals") == "poisson";
  return options;
}

ArrivalProcess::ArrivalProcess(const ArrivalOptions& options, std::uint64_t seed)
    : options_(options), random_(derived_seed(seed, kSeedStream)) {
  on_end_ = options_.bursts ? options_.on.draw(random_) : std::numeric_limits<double>::infinity();
}

std::uint64_t ArrivalProcess::next() {
  for (;;) {
    double at = 0;
    if (options_.poisson)
      at = last_ += draw_exponential(random_, options_.gap_ps);
    else  // counted from the start of the burst, so that rounding errors do not add up
      at = on_begin_ + static_cast<double>(in_burst_) * options_.gap_ps;
    if (at < on_end_) {
      ++in_burst_;
      return rounded(at);
    }
    // Exponential gaps are memoryless, so the gap that was cut off is drawn again in the next ON period.
    on_begin_ = last_ = on_end_ + options_.off.draw(random_);
    on_end_ = on_begin_ + options_.on.draw(random_);
    in_burst_ = 0;
    if (on_begin_ >= kLargest) too_late();
  }
}

}  // namespace flashloom
