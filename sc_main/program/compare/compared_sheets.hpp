// Data sheets of `flashloom datasheet` as runs to compare: their figures, and what the intervals allow.
#pragma once

#include <vector>

#include "sc_main/program/compare/comparison.hpp"

namespace flashloom {

inline constexpr const char* kSheetSchema = "flashloom.datasheet/1";  ///< of datasheet.json

bool is_sheet(const nlohmann::ordered_json& result);

/// The figures of sheets, in the order of the first that has them; a figure that is not modelled has no value. The band
/// of a ratio is what the intervals of both figures allow; none if either has no interval, or the range of a price.
std::vector<ComparedMetric> sheet_metrics(const std::vector<ComparedRun>& sheets);

}  // namespace flashloom
