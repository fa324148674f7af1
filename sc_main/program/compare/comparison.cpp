#include "sc_main/program/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/compare/compared_sheets.hpp"

namespace flashloom {
namespace {

using Better = ComparedMetric::Better;
using Json = nlohmann::ordered_json;

constexpr const char* kOperations[] = {"read", "write", "trim", "flush", "write_zeroes"};

bool asked(const Json& result, const std::string& operation) {
  const Json* const ios = value_at(result, "/host/" + operation + "/ios");
  return ios != nullptr && *ios != 0;
}

// Adds a figure, unless no run has it; `there`: whether a run has it.
void add_metric(std::vector<ComparedMetric>& metrics, const std::vector<ComparedRun>& runs, ComparedMetric metric,
                const std::function<bool(const Json&)>& there = {}) {
  const std::string path = "/" + [&metric] {
    std::string text = metric.key;
    std::replace(text.begin(), text.end(), '.', '/');
    return text;
  }();
  bool any = false;
  for (const ComparedRun& run : runs) {
    const Json* const value = value_at(run.result, path);
    const bool known = value != nullptr && value->is_number() && (!there || there(run.result));
    metric.values.push_back(known ? std::optional(value->get<double>()) : std::nullopt);
    any = any || known;
  }
  if (any) metrics.push_back(std::move(metric));
}

// The same for a figure with a column in uncertainty.csv, named by the last part of its key.
void add_energy(std::vector<ComparedMetric>& metrics, const std::vector<ComparedRun>& runs, ComparedMetric metric,
                const std::function<bool(const Json&)>& there) {
  const std::string column = metric.key.substr(metric.key.rfind('.') + 1);
  std::vector<std::optional<Band>> bands;
  bool any = false;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    bands.push_back(run == 0 ? std::nullopt : paired_ratio(runs[0], runs[run], column));
    any = any || bands.back();
  }
  if (any) metric.bands = std::move(bands);
  add_metric(metrics, runs, std::move(metric), there);
}

void add_operation(std::vector<ComparedMetric>& metrics, const std::vector<ComparedRun>& runs,
                   const std::string& operation) {
  const auto was_asked = [&operation](const Json& result) { return asked(result, operation); };
  const auto timed = [&operation](const Json& result) {
    return asked(result, operation) && result.value("simulated_s", 0.0) > 0;
  };
  const std::string key = "host." + operation + ".", label = operation + " ";
  add_metric(metrics, runs, {key + "ios", label + "requests", ""}, was_asked);
  if (operation != "flush")
    add_metric(metrics, runs, {key + "bandwidth_bytes_per_s", label + "throughput", "B/s", Better::More}, timed);
  add_metric(metrics, runs, {key + "iops", label + "IOPS", "1/s", Better::More}, timed);
  for (const auto& [field, name] :
       {std::pair("mean", "mean"), std::pair("p50", "p50"), std::pair("p99", "p99"), std::pair("p99_9", "p99.9")})
    add_metric(metrics, runs, {key + "latency_ns." + field, label + "latency " + std::string(name), "ns", Better::Less},
               timed);
}

// Collects key and value (as JSON) of everything in `value` that is no table.
void flatten(const Json& value, const std::string& key, std::vector<std::pair<std::string, std::string>>& into) {
  if (!value.is_object()) {
    into.emplace_back(key, json_text(value));
    return;
  }
  // A part with parameters is a table with its `name`; a part without parameters is its name.
  const bool is_part = !key.empty() && value.contains("name");
  if (is_part) into.emplace_back(key, json_text(value["name"]));
  for (const auto& [name, child] : value.items())
    if (!is_part || name != "name") flatten(child, key.empty() ? name : key + "." + name, into);
}

std::vector<ComparedKey> differences_of(const std::vector<ComparedRun>& runs) {
  std::vector<ComparedKey> keys;  // in the order in which they first occur
  std::map<std::string, std::size_t> places;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<std::pair<std::string, std::string>> found;
    const Json& result = runs[run].result;
    for (const char* const name : {"version", "class", "seed"})
      if (result.contains(name)) flatten(result[name], name, found);
    for (const char* const part : {"kind", "file", "hash"})
      if (const Json* value = value_at(result, std::string("/workload/") + part))
        flatten(*value, std::string("workload.") + part, found);
    flatten(result["config"], "", found);
    for (auto& [key, value] : found) {
      const auto [place, is_new] = places.try_emplace(key, keys.size());
      if (is_new) keys.push_back({key, std::vector<std::string>(runs.size())});
      keys[place->second].values[run] = std::move(value);
    }
  }
  std::erase_if(keys, [](const ComparedKey& key) {
    return std::all_of(key.values.begin(), key.values.end(),
                       [&key](const std::string& value) { return value == key.values.front(); });
  });
  return keys;
}

// Four significant digits; without an exponent below 10^9.
std::string digits(double value) {
  if (std::abs(value) >= 1e4 && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

struct Unit {
  const char* name;
  double size;
};

Unit fitting(const std::string& unit, double largest) {
  static const std::map<std::string, std::vector<Unit>> families = {
      {"ns", {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}},
      {"s", {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}},
      {"B/s", {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}}},
      {"J", {{"nJ", 1e-9}, {"uJ", 1e-6}, {"mJ", 1e-3}, {"J", 1}}},
      {"W", {{"uW", 1e-6}, {"mW", 1e-3}, {"W", 1}}},
      {"1/s", {{"", 1}}}};
  const auto found = families.find(unit);
  if (found == families.end()) return {unit.c_str(), 1};
  Unit best = found->second.front();
  for (const Unit& each : found->second)
    if (largest >= each.size * 0.9995) best = each;
  return largest == 0 ? Unit{found->second.back().name, found->second.back().size} : best;
}

// Pads columns to their widest cell; the first column is aligned left, the others right.
std::string columns_of(const std::vector<std::vector<std::string>>& lines, bool left) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], line[i].size());
    }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      row += i == 0 ? fmt::format("  {:<{}}", line[i], widths[i])
             : left ? fmt::format("  {:<{}}", line[i], widths[i])
                    : fmt::format("  {:>{}}", line[i], widths[i]);
    while (!row.empty() && row.back() == ' ') row.pop_back();
    text += row + "\n";
  }
  return text;
}

}  // namespace

std::optional<double> ComparedMetric::ratio(std::size_t run) const {
  if (!values[0] || !values[run] || *values[0] == 0) return std::nullopt;
  return *values[run] / *values[0];
}

int ComparedMetric::verdict(std::size_t run) const {
  const std::optional<double> to_first = ratio(run);
  const std::optional<Band> of_samples = band(run);
  if (!to_first || better == Better::Neither || std::abs(*to_first - 1) < 0.0005) return 0;
  if (of_samples && is_no_difference(*of_samples)) return 0;
  return (*to_first > 1) == (better == Better::More) ? 1 : -1;
}

Comparison compare(const std::vector<ComparedRun>& runs) {
  Comparison comparison;
  for (const ComparedRun& run : runs) {
    const bool partial = run.result.value("partial", false);
    comparison.names.push_back(run.name + (partial ? " (partial)" : ""));
    comparison.paths.push_back(run.path);
  }
  comparison.differences = differences_of(runs);
  std::vector<ComparedMetric>& metrics = comparison.metrics;
  if (is_sheet(runs.front().result)) {
    metrics = sheet_metrics(runs);
    comparison.brackets = "what the intervals of both figures allow";
    return comparison;
  }
  const auto timed = [](const Json& result) { return result.value("simulated_s", 0.0) > 0; };
  const auto wrote = [](const Json& result) {
    return asked(result, "write") || asked(result, "trim") || asked(result, "write_zeroes");
  };
  for (const char* const operation : kOperations) add_operation(metrics, runs, operation);
  add_metric(metrics, runs, {"ftl.waf", "write amplification", "", Better::Less}, wrote);
  add_metric(metrics, runs, {"ftl.gc_runs", "GC runs", "", Better::Less});
  add_metric(metrics, runs, {"ftl.valid_units_moved", "units moved", "", Better::Less});
  add_metric(metrics, runs, {"flash.reads.total.pages", "flash page reads", ""});
  add_metric(metrics, runs, {"flash.programs.total.pages", "flash page programs", ""});
  add_metric(metrics, runs, {"flash.erases.total", "erases", "", Better::Less});
  add_energy(metrics, runs, {"energy.total_j", "energy", "J", Better::Less}, timed);
  add_energy(metrics, runs, {"energy.j_per_gb", "energy per GB", "J/GB", Better::Less}, timed);
  add_energy(metrics, runs, {"energy.average_w", "average power", "W", Better::Less}, timed);
  add_metric(metrics, runs, {"energy.peak_w", "peak power", "W", Better::Less}, timed);
  add_metric(metrics, runs, {"simulated_s", "simulated time", "s"}, timed);
  add_metric(metrics, runs, {"host.media_errors", "media errors", "", Better::Less}, [](const Json& result) {
    const Json* const errors = value_at(result, "/host/media_errors");
    return errors != nullptr && *errors != 0;
  });
  comparison.brackets = "5 and 95 % of the ratio over the samples that both runs drew";
  return comparison;
}

std::string shown(const ComparedMetric& metric, std::size_t run) {
  if (!metric.values[run]) return "-";
  double largest = 0;
  for (const std::optional<double>& value : metric.values) largest = std::max(largest, std::abs(value.value_or(0)));
  const Unit unit = fitting(metric.unit, largest);
  const std::string name = unit.name;
  return digits(*metric.values[run] / unit.size) + (name.empty() ? "" : " ") + name;
}

std::string shown_ratio(const ComparedMetric& metric, std::size_t run) {
  const std::optional<double> ratio = metric.ratio(run);
  if (!ratio) return {};
  const std::string text = "x" + digits(*ratio);
  const std::optional<Band> band = metric.band(run);
  if (!band) return text;
  return text + " (" + digits(band->p5) + " to " + digits(band->p95) + (is_no_difference(*band) ? ": none)" : ")");
}

std::string comparison_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head = {""};
  for (std::size_t run = 0; run < comparison.names.size(); ++run) {
    head.push_back(comparison.names[run]);
    if (run != 0) head.emplace_back();
  }
  lines.push_back(head);
  for (const ComparedMetric& metric : comparison.metrics) {
    std::vector<std::string> line = {metric.label};
    for (std::size_t run = 0; run < metric.values.size(); ++run) {
      line.push_back(shown(metric, run));
      if (run != 0) line.push_back(shown_ratio(metric, run));
    }
    lines.push_back(line);
  }
  std::string text = columns_of(lines, false);
  if (std::any_of(comparison.metrics.begin(), comparison.metrics.end(), [](const auto& m) { return !m.bands.empty(); }))
    text += "\n  In brackets: " + comparison.brackets + "; none: it may as well be 1.\n";
  if (comparison.differences.empty()) return text + "\nThe configurations and workloads are the same.\n";
  lines.assign(1, {""});
  lines[0].insert(lines[0].end(), comparison.names.begin(), comparison.names.end());
  for (const ComparedKey& key : comparison.differences) {
    std::vector<std::string> line = {key.key};
    for (const std::string& value : key.values) line.push_back(value.empty() ? "-" : value);
    lines.push_back(line);
  }
  return text + "\nWhat differs:\n" + columns_of(lines, true);
}

nlohmann::ordered_json comparison_json(const Comparison& comparison) {
  Json json = {{"schema", "flashloom.compare/1"}, {"runs", Json::array()}};
  for (std::size_t run = 0; run < comparison.names.size(); ++run)
    json["runs"].push_back({{"name", comparison.names[run]}, {"file", comparison.paths[run]}});
  json["metrics"] = Json::array();
  for (const ComparedMetric& metric : comparison.metrics) {
    Json values = Json::array(), ratios = Json::array();
    for (std::size_t run = 0; run < metric.values.size(); ++run) {
      const std::optional<double> ratio = metric.ratio(run);
      values.push_back(metric.values[run] ? Json(*metric.values[run]) : Json());
      ratios.push_back(ratio ? Json(*ratio) : Json());
    }
    const char* const better = metric.better == Better::More   ? "more"
                               : metric.better == Better::Less ? "less"
                                                               : "neither";
    json["metrics"].push_back({{"key", metric.key},
                               {"label", metric.label},
                               {"unit", metric.unit},
                               {"better", better},
                               {"values", values},
                               {"ratios", ratios}});
    if (metric.bands.empty()) continue;
    Json& bands = json["metrics"].back()["ratio_bands"] = Json::array();
    for (const std::optional<Band>& band : metric.bands)
      bands.push_back(!band ? Json()
                            : Json{{"p5", band->p5},
                                   {"p50", band->p50},
                                   {"p95", band->p95},
                                   {"difference", !is_no_difference(*band)}});
  }
  json["differences"] = Json::array();
  for (const ComparedKey& key : comparison.differences) {
    Json values = Json::array();
    for (const std::string& value : key.values) values.push_back(value.empty() ? Json() : Json::parse(value));
    json["differences"].push_back({{"key", key.key}, {"values", values}});
  }
  return json;
}

}  // namespace flashloom
