// Tables from which the figures of a run are drawn.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "controllers/host/host_statistics.hpp"
#include "models/energy/power_by_kind.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

/// latency_cdf.csv: operation,latency_ns,share,above: one line per bucket of the histogram; the share of latencies up
/// to it, and the share above it.
std::string latency_cdf_csv(const HostStatistics& statistics);

/// wear.csv: erases,blocks: the number of erase units with each erase count, preconditioning included.
std::string wear_csv(const NandMedia& media);

/// Devices with more pages have no pages.csv.
inline constexpr std::uint64_t kMostPagesShown = 1024;

/// pages.csv: die,column,page,unit,logical,newest: one line per mapping unit of host data on flash. `column` numbers
/// the blocks of a die that hold any, in the order of their numbers; `newest` is 1 if no page holds a newer version of
/// the logical unit. `units`: number of logical units of the FTL, translation pages included.
std::string pages_csv(const NandMedia& media, std::uint64_t units);

/// channel_shares.csv and die_shares.csv, one line per part, from result.json's `utilization`: row,part, then one
/// column per state. `parts` is "channels" or "dies".
std::string shares_csv(const nlohmann::ordered_json& utilization, const std::string& parts);

/// power_by_kind.csv and power_trace.csv: time_s,duration_s,power_w,current_a, then one column per kind, as nand_w; one
/// line per bin. The current is that at a supply of `volts`. `closed`: for step plots, adds a last line of no duration
/// with the values of the last bin.
std::string power_by_kind_csv(const PowerByKind& power, double volts, bool closed = false);

}  // namespace flashloom
