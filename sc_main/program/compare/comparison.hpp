// Comparison of runs: figures with ratios, and the keys in which their configurations differ.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/program/compare/compared_run.hpp"
#include "sc_main/program/compare/paired_samples.hpp"

namespace flashloom {

/// One figure of every run.
struct ComparedMetric {
  enum class Better : std::uint8_t { Neither, More, Less };
  std::string key;    ///< in result.json, dotted
  std::string label;  ///< for people
  std::string unit;   ///< "B/s", "1/s", "ns", "J", "J/GB", "W", "s", or empty
  Better better = Better::Neither;
  std::vector<std::optional<double>> values{};  ///< by run; none: the run had no such requests
  std::vector<std::optional<Band>> bands{};     ///< by run: band of its ratio to the first (paired_ratio()), or empty

  /// Ratio to the first run's value; none if either has no value, or the first is 0.
  std::optional<double> ratio(std::size_t run) const;
  /// Band of that ratio; none without paired samples.
  std::optional<Band> band(std::size_t run) const { return bands.empty() ? std::nullopt : bands[run]; }
  /// The run is better than the first (1), worse (-1), or neither (0): a ratio near 1, or a band that includes 1.
  int verdict(std::size_t run) const;
};

/// A configuration key whose values differ between runs, with the value of each run as JSON.
struct ComparedKey {
  std::string key;
  std::vector<std::string> values{};  ///< empty: the run has no such key
};

struct Comparison {
  std::vector<std::string> names{};
  std::vector<std::string> paths{};
  std::vector<ComparedMetric> metrics{};
  std::vector<ComparedKey> differences{};
  std::string brackets{};  ///< what those after a ratio mean
};

Comparison compare(const std::vector<ComparedRun>& runs);

/// A value as text, as "12.3 ms", with a unit that suits the largest value of its row; "-" for none.
std::string shown(const ComparedMetric& metric, std::size_t run);
/// The ratio to the first run: "x1.234", with its band "x1.120 (1.07 to 1.18)", or "x1.01 (0.97 to 1.05: none)" if the
/// band includes 1; empty for no ratio.
std::string shown_ratio(const ComparedMetric& metric, std::size_t run);

/// The tables of `flashloom compare`, for people.
std::string comparison_text(const Comparison& comparison);
/// The same as JSON of schema flashloom.compare/1 (docs/schemas/compare.schema.json).
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace flashloom
