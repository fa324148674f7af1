#include "sc_main/assembly/report/reliability_report.hpp"

#include <fmt/format.h>

#include <numeric>

namespace flashloom {

nlohmann::ordered_json reliability_json(Ssd& ssd) {
  using Json = nlohmann::ordered_json;
  if (ssd.ecc() == nullptr) return nullptr;
  const EccStatistics& statistics = ssd.ecc()->statistics();
  const std::vector<std::uint64_t>& histogram = ssd.media().errors()->histogram();
  const std::uint64_t codewords = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  Json json;
  json["codewords"] = codewords;
  json["codewords_beyond_hard_decoding"] = histogram.back();
  Json& errors = json["errors_per_codeword"] = Json::array();
  for (std::size_t n = 0; n < histogram.size(); ++n)
    if (histogram[n] != 0) errors.push_back({{"errors", n}, {"codewords", histogram[n]}});
  Json& levels = json["retries"] = Json::array();
  for (std::size_t level = 0; level < statistics.retries.size(); ++level)
    levels.push_back(
        {{"level", level + 1}, {"reads", statistics.retries[level]}, {"recovered", statistics.recovered[level]}});
  json["retries_total"] = std::accumulate(statistics.retries.begin(), statistics.retries.end(), std::uint64_t{0});
  json["soft_decodes"] = statistics.soft_decodes;
  json["soft_recovered"] = statistics.soft_recovered;
  Json& lost = json["uncorrectable_reads"] = Json::object();
  for (std::size_t i = 0; i < kOrigins; ++i)
    if (statistics.uncorrectable[i] != 0) lost[to_string(static_cast<Origin>(i))] = statistics.uncorrectable[i];
  json["uncorrectable_total"] = statistics.uncorrectable_total();
  json["metadata_rescued"] = statistics.rescued;
  json["units_lost"] = statistics.lost_units;
  json["scrub_moves"] = ssd.ftl_statistics().scrub_moves;
  json["units_scrubbed"] = ssd.ftl_statistics().units_scrubbed;
  return json;
}

std::string reliability_summary(const nlohmann::ordered_json& result) {
  const nlohmann::ordered_json& errors = result["reliability"];
  if (errors.is_null()) return {};
  const auto number = [](const nlohmann::ordered_json& value) { return value.get<std::uint64_t>(); };
  return fmt::format(
      "  errors {} of {} codewords beyond hard decoding; {} read retries, {} soft decodes; {} reads uncorrectable, {} "
      "units "
      "lost in copies; {} blocks scrubbed\n",
      number(errors["codewords_beyond_hard_decoding"]), number(errors["codewords"]), number(errors["retries_total"]),
      number(errors["soft_decodes"]), number(errors["uncorrectable_total"]), number(errors["units_lost"]),
      number(errors["scrub_moves"]));
}

}  // namespace flashloom
