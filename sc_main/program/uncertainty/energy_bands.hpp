// Energy for all samples of the keys' ranges: bands, the keys with the largest effect, and the table of samples.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sc_main/program/uncertainty/energy_work.hpp"
#include "sc_main/program/uncertainty/uncertainty_plan.hpp"

namespace flashloom {

/// The outcome of an additional run: its work, or the message of its failure.
struct RerunOutcome {
  std::optional<EnergyWork> work{};
  std::string failure{};
};

/// Mean and quantiles; quantiles are interpolated linearly between samples.
struct Band {
  double mean = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
};
/// The band of at least one sample; they may be in any order.
Band band_of(std::vector<double> samples);

/// `energy.uncertainty` of result.json, and uncertainty.csv. `work`: of the run itself; `reruns`: in the order of the
/// plan. Samples of a draw whose run failed are left out. Throws std::runtime_error if none is left.
std::pair<nlohmann::ordered_json, std::string> energy_bands(const UncertaintyPlan& plan, const EnergyWork& work,
                                                            const std::vector<RerunOutcome>& reruns);

}  // namespace flashloom
