// The error bars of the ratio of two runs.
#pragma once

#include <optional>
#include <string>

#include "sc_main/program/compare/compared_run.hpp"
#include "sc_main/program/uncertainty/energy_bands.hpp"

namespace flashloom {

/// The band of the ratio of `run` to `first` over paired samples: keys that both have are drawn alike (stratified()),
/// so that their common uncertainty cancels. None if one has no samples of that column, or if seed or number of the
/// samples differ.
std::optional<Band> paired_ratio(const ComparedRun& first, const ComparedRun& run, const std::string& column);

/// Whether the band includes 1, so that either run may be the larger one.
inline bool is_no_difference(const Band& ratio) { return ratio.p5 <= 1 && 1 <= ratio.p95; }

}  // namespace flashloom
