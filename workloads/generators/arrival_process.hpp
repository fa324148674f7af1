// When requests of an open loop arrive: at a rate, evenly or as a Poisson process, during ON periods.
#pragma once

#include <vector>

#include "workloads/generators/generator.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// How long a period of a burst takes.
struct PeriodLaw {
  enum class Kind : std::uint8_t { Fixed, Exponential, Pareto };
  Kind kind = Kind::Fixed;
  double mean_ps = 0;
  double shape = 1.5;  ///< Pareto

  double draw(Random& random) const;
};

struct ArrivalOptions {
  double gap_ps = 0;     ///< mean time between arrivals within ON; > 0
  bool poisson = false;  ///< exponential gaps; else even ones
  bool bursts = false;   ///< ON and OFF periods in turn, beginning with ON; else always ON
  PeriodLaw on;
  PeriodLaw off;
};

/// The parameters `rate` (with this default and meaning) and `arrivals`, and what they say.
std::vector<GeneratorParameter> arrival_parameters(double rate, const char* help);
ArrivalOptions arrivals_of(const GeneratorValues& values);

class ArrivalProcess {
 public:
  ArrivalProcess(const ArrivalOptions& options, std::uint64_t seed);
  /// Picoseconds since the start, never decreasing. Throws WorkloadError beyond 2^63.
  std::uint64_t next();

 private:
  ArrivalOptions options_;
  Random random_;
  double on_begin_ = 0;
  double on_end_ = 0;
  double last_ = 0;             // of a Poisson process
  std::uint64_t in_burst_ = 0;  // arrivals since on_begin_
};

}  // namespace flashloom
