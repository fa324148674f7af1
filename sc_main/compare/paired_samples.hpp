// What the error bars of two runs say of the difference between them.
#pragma once

#include <optional>
#include <string>

#include "sc_main/compare/compared_run.hpp"
#include "sc_main/uncertainty/energy_bands.hpp"

namespace flashloom {

/// The band of the ratio of `run` to `first` over the samples that both have, sample by sample: keys that both have are
/// drawn alike (stratified()), so that what both do not know alike falls out. None if one has no samples of that column, or
/// they were not drawn by one seed and number.
std::optional<Band> paired_ratio(const ComparedRun& first, const ComparedRun& run, const std::string& column);

/// Whether the band leaves open which of the two is larger.
inline bool is_no_difference(const Band& ratio) { return ratio.p5 <= 1 && 1 <= ratio.p95; }

}  // namespace flashloom
