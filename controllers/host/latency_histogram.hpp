// The histogram of latencies, in picoseconds.
#pragma once

#include "workloads/log_histogram.hpp"

namespace flashloom {

using LatencyHistogram = LogHistogram<7>;  ///< percentiles at most 0.8 % too high

}  // namespace flashloom
