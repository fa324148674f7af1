// Energy for all samples of the keys' ranges: its bands, what moves it most, and the table of the samples.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sc_main/uncertainty/energy_work.hpp"
#include "sc_main/uncertainty/uncertainty_plan.hpp"

namespace flashloom {

/// What one of the runs beside the run itself did, or why there is nothing to tell of it.
struct RerunOutcome {
  std::optional<EnergyWork> work{};
  std::string failure{};
};

/// Mean and quantiles, between two samples by straight lines.
struct Band {
  double mean = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
};
/// Of one sample at least, in any order.
Band band_of(std::vector<double> samples);

/// `energy.uncertainty` of result.json, and uncertainty.csv. `work` is that of the run itself; `reruns` as the plan has
/// them. Samples of a draw whose run failed are left out. Throws std::runtime_error if none is left.
std::pair<nlohmann::ordered_json, std::string> energy_bands(const UncertaintyPlan& plan, const EnergyWork& work,
                                                            const std::vector<RerunOutcome>& reruns);

}  // namespace flashloom
