// The page of `flashloom compare`.
#pragma once

#include <string>
#include <vector>

#include "sc_main/program/compare/comparison.hpp"

namespace flashloom {

/// A self-contained HTML file: tables, tails of latencies, throughput and power over time, parts of latency and energy.
/// Style and scripts are those of studies' reports (plots/page). Throws std::runtime_error if they are not found.
std::string compare_page(const std::vector<ComparedRun>& runs, const Comparison& comparison);

}  // namespace flashloom
