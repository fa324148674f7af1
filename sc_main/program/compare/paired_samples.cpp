#include "sc_main/program/compare/paired_samples.hpp"

#include <vector>

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

bool drawn_alike(const ComparedRun& a, const ComparedRun& b) {
  for (const char* const field : {"/energy/uncertainty/seed", "/energy/uncertainty/samples"}) {
    const Json* const one = value_at(a.result, field);
    const Json* const other = value_at(b.result, field);
    if (one == nullptr || other == nullptr || *one != *other) return false;
  }
  return true;
}

}  // namespace

std::optional<Band> paired_ratio(const ComparedRun& first, const ComparedRun& run, const std::string& column) {
  const auto numbers = first.samples.find("sample"), values = first.samples.find(column);
  const auto other_numbers = run.samples.find("sample"), other_values = run.samples.find(column);
  if (numbers == first.samples.end() || values == first.samples.end() || other_numbers == run.samples.end() ||
      other_values == run.samples.end() || !drawn_alike(first, run))
    return std::nullopt;
  // Sample numbers ascend in both tables; either may lack those of failed runs.
  std::vector<double> ratios;
  for (std::size_t i = 0, k = 0; i < numbers->second.size() && k < other_numbers->second.size();) {
    const double number = numbers->second[i], other = other_numbers->second[k];
    if (number == other && values->second[i] != 0) ratios.push_back(other_values->second[k] / values->second[i]);
    if (number <= other) ++i;
    if (other <= number) ++k;
  }
  return ratios.empty() ? std::nullopt : std::optional(band_of(std::move(ratios)));
}

}  // namespace flashloom
