#include "sc_main/program/compare/compared_sheets.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace flashloom {
namespace {

using Better = ComparedMetric::Better;
using Json = nlohmann::ordered_json;

struct SheetUnit {
  const char* unit;  ///< of ComparedMetric
  double size;       ///< of the sheet's unit in it
  Better better;
};

// Of units of figures, and of the last words of values of tests.
const std::map<std::string, SheetUnit> kSheetUnits = {
    {"MB/s", {"B/s", 1e6, Better::More}},  {"mb_s", {"B/s", 1e6, Better::More}},
    {"IOPS", {"1/s", 1, Better::More}},    {"iops", {"1/s", 1, Better::More}},
    {"us", {"ns", 1e3, Better::Less}},     {"mean_us", {"ns", 1e3, Better::Less}},
    {"max_us", {"ns", 1e3, Better::Less}}, {"W", {"W", 1, Better::Less}},
    {"J/GB", {"J/GB", 1, Better::Less}},   {"TB", {"TB", 1, Better::More}},
    {"1/day", {"1/day", 1, Better::More}}, {"$", {"$", 1, Better::Less}},
    {"1/bit", {"1/bit", 1, Better::Less}}, {"GB", {"GB", 1, Better::Neither}}};

struct Value {
  std::string key, label, unit;
  std::optional<double> value{}, low{}, high{};
};

std::optional<double> number_in(const Json& figure, const char* field) {
  const auto found = figure.find(field);
  return found != figure.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::vector<Value> values_of(const Json& sheet) {
  std::vector<Value> values;
  for (const auto& [key, figure] : sheet.at("brief").items()) {
    if (figure.at("value").is_string()) continue;
    values.push_back({"brief." + key, figure.at("name"), figure.at("unit"), number_in(figure, "value"), {}, {}});
    // Ranges of currents and prices are the same in both sheets: the ratio is narrower than they say.
    if (figure.value("ranged", false)) continue;
    values.back().low = number_in(figure, "low");
    values.back().high = number_in(figure, "high");
  }
  for (const auto& [test, found] : sheet.at("tests").items())
    for (const auto& [name, value] : found.at("values").items()) {
      const std::size_t end = name.rfind("; ");
      values.push_back({"tests." + test + "." + name, test + ": " + name.substr(0, end),
                        end == std::string::npos ? "" : name.substr(end + 2), value.get<double>()});
    }
  return values;
}

std::optional<Band> allowed(const Value& first, const Value& other) {
  if (!first.low || !first.high || !other.low || !other.high || *first.low <= 0 || !first.value || !other.value)
    return std::nullopt;
  const double middle = *other.value / *first.value;
  return Band{.mean = middle, .p5 = *other.low / *first.high, .p50 = middle, .p95 = *other.high / *first.low};
}

}  // namespace

bool is_sheet(const Json& result) {
  const auto schema = result.find("schema");
  return schema != result.end() && *schema == kSheetSchema;
}

std::vector<ComparedMetric> sheet_metrics(const std::vector<ComparedRun>& sheets) {
  std::vector<std::vector<std::optional<Value>>> rows;
  std::map<std::string, std::size_t> places;
  for (std::size_t sheet = 0; sheet < sheets.size(); ++sheet)
    for (Value& value : values_of(sheets[sheet].result)) {
      const auto [place, is_new] = places.try_emplace(value.key, rows.size());
      if (is_new) rows.emplace_back(sheets.size());
      rows[place->second][sheet] = std::move(value);
    }
  std::vector<ComparedMetric> metrics;
  for (const auto& row : rows) {
    const Value& any = **std::find_if(row.begin(), row.end(), [](const auto& value) { return value.has_value(); });
    const auto known = kSheetUnits.find(any.unit);
    const SheetUnit unit = known == kSheetUnits.end() ? SheetUnit{any.unit.c_str(), 1, Better::Neither} : known->second;
    ComparedMetric metric{any.key, any.label, unit.unit, unit.better};
    bool banded = false;
    for (const std::optional<Value>& value : row) {
      metric.values.push_back(value && value->value ? std::optional(*value->value * unit.size) : std::nullopt);
      const bool first = metric.bands.empty();
      metric.bands.push_back(first || !value || !row[0] ? std::nullopt : allowed(*row[0], *value));
      banded = banded || metric.bands.back();
    }
    if (!banded) metric.bands.clear();
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace flashloom
