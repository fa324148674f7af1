// Structs of counters as objects of result.json: the report() of a struct lists names and values in order.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

namespace flashloom {

/// Adds what `counters` reports to an object. It calls f("name, name", value, value): a value is a number, null, a list
/// of structs of counters, another struct of counters, or a function that reports the fields of an object within.
template <class Counters>
void add_counters(nlohmann::ordered_json& json, const Counters& counters) {
  const auto add = [&json](std::string_view names, const auto&... values) {
    const auto add_one = [&](const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      const std::size_t end = std::min(names.find(','), names.size());
      nlohmann::ordered_json& entry = json[std::string(names.substr(0, end))];
      names.remove_prefix(std::min(end + 2, names.size()));
      if constexpr (std::is_arithmetic_v<Value> || std::is_null_pointer_v<Value>) {
        entry = value;
      } else if constexpr (std::ranges::range<Value>) {
        entry = nlohmann::ordered_json::array();
        for (const auto& each : value) add_counters(entry.emplace_back(), each);
      } else {
        add_counters(entry, value);
      }
    };
    (add_one(values), ...);
  };
  if constexpr (requires { counters(add); })
    counters(add);
  else
    counters.report(add);
}

template <class Counters>
nlohmann::ordered_json counters_json(const Counters& counters) {
  nlohmann::ordered_json json;
  add_counters(json, counters);
  return json;
}

}  // namespace flashloom
