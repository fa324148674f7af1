#include "sc_main/program/sample/merge_results.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

// Fields that identify the entries of a list; entries of other lists are matched by index.
constexpr std::string_view kIdentities[] = {"name", "errors", "level", "namespace"};
// Fields with the same value in each window: sizes, limits and names.
constexpr std::string_view kFixed[] = {
    "name",           "kind",        "errors",   "level",         "namespace", "links", "blocks",
    "dynamic_blocks", "block_bytes", "clock_hz", "peak_window_s", "window_s",  "w",     "read_only"};

bool any_of(const auto& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// The count in the same object by which a mean is weighted.
std::string_view count_of_mean(std::string_view path) {
  return path.starts_with("network.") ? "transfers" : "commands";
}

double length_of(const Json& result) {
  return result["window"]["end_s"].get<double>() - result["window"]["begin_s"].get<double>();
}

class Merger {
 public:
  explicit Merger(const std::vector<WindowResult>& windows) {
    for (const WindowResult& window : windows) {
      weights_.push_back(window.weight);
      times_.push_back(window.weight * length_of(window.result));
    }
  }

  /// `values`: of each window; null: the window has none. `parents`: the objects of which the values are fields.
  Json merge(const std::string& path, const std::vector<const Json*>& values,
             const std::vector<const Json*>& parents) const {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [](const Json* value) { return value != nullptr && !value->is_null(); });
    if (found == values.end()) return nullptr;
    const Json& sample = **found;
    if (sample.is_object()) return merge_objects(path, values);
    if (sample.is_array()) return merge_lists(path, values, parents);
    if (!sample.is_number()) return sample;
    return merge_numbers(path, values, parents);
  }

 private:
  static const Json* field(const Json* object, const std::string& name) {
    if (object == nullptr || !object->is_object()) return nullptr;
    const auto found = object->find(name);
    return found == object->end() ? nullptr : &*found;
  }

  Json merge_objects(const std::string& path, const std::vector<const Json*>& values) const {
    std::vector<std::string> names;
    for (const Json* const value : values) {
      if (value == nullptr || !value->is_object()) continue;
      for (const auto& [name, unused] : value->items())
        if (!any_of(names, name)) names.push_back(name);
    }
    Json merged = Json::object();
    for (const std::string& name : names) {
      std::vector<const Json*> fields;
      for (const Json* const value : values) fields.push_back(field(value, name));
      merged[name] = merge(path.empty() ? name : path + '.' + name, fields, values);
    }
    return merged;
  }

  Json merge_lists(const std::string& path, const std::vector<const Json*>& values,
                   const std::vector<const Json*>& parents) const {
    std::string identity;
    std::size_t longest = 0;
    for (const Json* const value : values) {
      if (value == nullptr || !value->is_array() || value->empty()) continue;
      longest = std::max(longest, value->size());
      if (const Json& first = value->front(); first.is_object() && any_of(kIdentities, first.begin().key()))
        identity = first.begin().key();
    }
    Json merged = Json::array();
    if (identity.empty()) {
      for (std::size_t place = 0; place < longest; ++place) {
        std::vector<const Json*> entries;
        for (const Json* const value : values)
          entries.push_back(value == nullptr || value->size() <= place ? nullptr : &(*value)[place]);
        merged.push_back(merge(path, entries, parents));
      }
      return merged;
    }
    std::vector<Json> keys;
    for (const Json* const value : values)
      if (value != nullptr && value->is_array())
        for (const Json& entry : *value)
          if (std::find(keys.begin(), keys.end(), entry[identity]) == keys.end()) keys.push_back(entry[identity]);
    for (const Json& key : keys) {
      std::vector<const Json*> entries;
      for (const Json* const value : values) {
        const Json* entry = nullptr;
        if (value != nullptr && value->is_array())
          for (const Json& each : *value)
            if (each[identity] == key) entry = &each;
        entries.push_back(entry);
      }
      merged.push_back(merge(path, entries, parents));
    }
    return merged;
  }

  Json merge_numbers(const std::string& path, const std::vector<const Json*>& values,
                     const std::vector<const Json*>& parents) const {
    const MergeRule rule = merge_rule(path);
    double sum = 0;
    double weight = 0;
    bool whole = true;
    Json chosen;
    for (std::size_t window = 0; window < values.size(); ++window) {
      const Json* const value = values[window];
      if (value == nullptr || value->is_null()) continue;
      whole = whole && value->is_number_unsigned();
      double times = weights_[window];
      if (rule == MergeRule::ByTime) times = times_[window];
      if (rule == MergeRule::ByCount) times *= (*parents[window])[std::string(count_of_mean(path))].get<double>();
      sum += times * value->get<double>();
      weight += times;
      const bool take = chosen.is_null() || rule == MergeRule::Last ||
                        (rule == MergeRule::Highest && *value > chosen) ||
                        (rule == MergeRule::Lowest && *value < chosen);
      if (take) chosen = *value;
    }
    switch (rule) {
      case MergeRule::Sum:
        return whole ? Json(static_cast<std::uint64_t>(std::llround(sum))) : Json(sum);
      case MergeRule::ByTime:
      case MergeRule::ByCount:
        return weight == 0 ? 0.0 : sum / weight;
      default:
        return chosen;
    }
  }

  std::vector<double> weights_;
  std::vector<double> times_;
};

// Mean of a ratio, weighted by its denominator.
double mean_ratio(const std::vector<WindowResult>& windows, const Json::json_pointer& ratio, auto&& below) {
  double numerator = 0;
  double denominator = 0;
  for (const WindowResult& window : windows) {
    const double part = window.weight * below(window.result);
    numerator += part * window.result[ratio].get<double>();
    denominator += part;
  }
  return denominator == 0 ? 0.0 : numerator / denominator;
}

// Bytes of the operation; 0 if the result does not name it.
double operation_bytes(const Json& requests, const char* operation) {
  const auto found = requests.find(operation);
  return found == requests.end() ? 0.0 : (*found)["bytes"].get<double>();
}

double written_bytes(const Json& requests) {
  return operation_bytes(requests, "write") + operation_bytes(requests, "zone_append");
}

void add_ratios(Json& merged, const std::vector<WindowResult>& windows) {
  Json& energy = merged["energy"];
  const double joules = energy["total_j"].get<double>();
  const double time = length_of(merged);
  double ios = 0;
  for (const Json& requests : merged["window"])
    if (requests.is_object()) ios += requests["ios"].get<double>();
  const double bytes = moved_bytes(merged["window"]);
  energy["average_w"] = time == 0 ? 0.0 : joules / time;
  energy["j_per_io"] = ios == 0 ? 0.0 : joules / ios;
  energy["j_per_gb"] = bytes == 0 ? 0.0 : joules / (bytes / 1e9);
  for (const char* const waf : {"/ftl/waf", "/ftl/waf_data"}) {
    const Json::json_pointer pointer(waf);
    merged[pointer] = mean_ratio(windows, pointer, [](const Json& result) { return ssd_written_bytes(result); });
  }
  if (const auto amplified = merged.find("write_amplification"); amplified != merged.end()) {
    const double application = (*amplified)["application_bytes"].get<double>();
    const double host = application == 0 ? 0 : (*amplified)["host_bytes"].get<double>() / application;
    (*amplified)["host"] = host;
    (*amplified)["device"] = merged["ftl"]["waf"];
    (*amplified)["total"] = host * merged["ftl"]["waf"].get<double>();
  }
  if (const auto compression = merged.find("compression"); compression != merged.end()) {
    const double out = (*compression)["flash_bytes"].get<double>();
    (*compression)["ratio"] = nullptr;
    if (out != 0) (*compression)["ratio"] = (*compression)["compressed_bytes"].get<double>() / out;
  }
}

}  // namespace

double ssd_written_bytes(const Json& result) {
  const auto tier = result.find("tier");
  const bool of_host = tier == result.end() || tier->is_null();
  return of_host ? written_bytes(result["window"]) : (*tier)["ssd"]["write_bytes"].get<double>();
}

double moved_bytes(const Json& requests) { return operation_bytes(requests, "read") + written_bytes(requests); }

MergeRule merge_rule(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.rfind('.') + 1);
  if (path.starts_with("utilization.") || name == "busy_links" || name == "busiest_link") return MergeRule::ByTime;
  if (name == "mean_ns" || name == "power_mean_ns" || name == "wait_mean_ns" || name == "mean_hops" ||
      name.ends_with("_share"))
    return MergeRule::ByCount;
  if (name == "longest" || name == "peak_w" || name == "max_ns" || name.ends_with("_max") || name.ends_with("_max_ns"))
    return MergeRule::Highest;
  if (name.ends_with("_min")) return MergeRule::Lowest;
  if (name.ends_with("_at_end") || name == "borrowed_blocks" || path == "ftl.slc.valid_units") return MergeRule::Last;
  if (any_of(kFixed, name)) return MergeRule::First;
  return MergeRule::Sum;
}

nlohmann::ordered_json merge_results(const std::vector<WindowResult>& windows) {
  if (windows.empty()) throw std::logic_error("there are no windows");
  const Merger merger(windows);
  std::vector<const Json*> values;
  for (const WindowResult& window : windows) values.push_back(&window.result);
  Json merged = merger.merge("", values, values);
  // The merged window begins at 0 and is as long as all windows, by their weights, together.
  double time = 0;
  for (const WindowResult& window : windows) time += window.weight * length_of(window.result);
  merged["window"]["begin_s"] = 0.0;
  merged["window"]["end_s"] = time;
  merged["simulated_s"] = time;
  add_ratios(merged, windows);
  return merged;
}

}  // namespace flashloom
