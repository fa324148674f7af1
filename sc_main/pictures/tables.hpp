// Tables that the figures of a run are drawn from.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "controllers/host/host_statistics.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

/// latency_cdf.csv: operation,latency_ns,share,above: a line a bucket of the histogram; the share of latencies up to
/// it, and the share above it.
std::string latency_cdf_csv(const HostStatistics& statistics);

/// wear.csv: erases,blocks: how many erase units have been erased so often, preconditioning included.
std::string wear_csv(const NandMedia& media);

/// channel_shares.csv and die_shares.csv, a line a part, out of result.json's `utilization`: row,part, then a column a
/// state. `parts` is "channels" or "dies".
std::string shares_csv(const nlohmann::ordered_json& utilization, const std::string& parts);

}  // namespace flashloom
