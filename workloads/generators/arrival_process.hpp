// When requests of an open loop arrive: at a rate, evenly or as a Poisson process, during ON periods.
#pragma once

#include <vector>

#include "workloads/generators/generator.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Distribution of the lengths of ON or OFF periods.
struct PeriodLaw {
  enum class Kind : std::uint8_t { Fixed, Exponential, Pareto };
  Kind kind = Kind::Fixed;
  double mean_ps = 0;
  double shape = 1.5;  ///< Pareto

  double draw(Random& random) const;
};

struct ArrivalOptions {
  double gap_ps = 0;     ///< mean time between arrivals while ON; > 0
  bool poisson = false;  ///< exponential gaps; else equal gaps
  bool bursts = false;   ///< ON and OFF periods alternate, beginning with ON; else always ON
  PeriodLaw on;
  PeriodLaw off;
};

/// Declares the parameters `rate` (default `rate`, description `help`) and `arrivals`; arrivals_of() reads them.
std::vector<GeneratorParameter> arrival_parameters(double rate, const char* help);
ArrivalOptions arrivals_of(const GeneratorValues& values);

class ArrivalProcess {
 public:
  ArrivalProcess(const ArrivalOptions& options, std::uint64_t seed);
  /// The next arrival, picoseconds since the start, never decreasing. Throws WorkloadError beyond 2^63.
  std::uint64_t next();

 private:
  ArrivalOptions options_;
  Random random_;
  double on_begin_ = 0;
  double on_end_ = 0;
  double last_ = 0;             // Poisson process: last arrival
  std::uint64_t in_burst_ = 0;  // arrivals since on_begin_
};

}  // namespace flashloom
