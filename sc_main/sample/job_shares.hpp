// Which share of the requests jobs of a closed loop get that run side by side.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// Requests of so many tell shares to a per cent or two.
inline constexpr std::uint64_t kTellsShares = 16'384;

/// Of jobs of so many `requests` in a stretch of the run, with `depths` in flight at most. Where they differ from shares by
/// the depths by no more than chance does (chi-square test, 99 %, as if requests came independently of each other, which
/// those of a closed loop vary less than), the shares are those: taken for true, what chance says lets some jobs end long
/// before the others, who have the device for themselves then. One of which nothing was seen has a share all the same.
std::vector<double> job_shares(const std::vector<std::uint64_t>& requests, const std::vector<std::uint32_t>& depths);

}  // namespace flashloom
