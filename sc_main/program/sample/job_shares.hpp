// The share of the requests that each of several concurrent closed-loop jobs gets.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// Requests of all jobs from which their shares are known to one or two per cent.
inline constexpr std::uint64_t kTellsShares = 16'384;

/// The jobs' shares, from the `requests` that each completed in a stretch of the run; `depths`: the requests that each
/// has in flight at most. If a chi-square test (99 %) finds no difference from shares proportional to the depths,
/// returns those: with random errors in the shares, some jobs would end long before the others, which then would have
/// the device to themselves. The test takes requests as independent; counts in a closed loop vary less. A job without
/// any request in the stretch is counted as half a request, so that its share is not 0.
std::vector<double> job_shares(const std::vector<std::uint64_t>& requests, const std::vector<std::uint32_t>& depths);

}  // namespace flashloom
