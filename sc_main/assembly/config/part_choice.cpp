#include "sc_main/assembly/config/part_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/toml_text.hpp"

namespace flashloom {
namespace {

bool is_number(const ParameterSpec& spec) {
  return std::holds_alternative<std::int64_t>(spec.default_value) || std::holds_alternative<double>(spec.default_value);
}

std::string bound_text(const ParameterSpec& spec, double bound) {
  if (std::holds_alternative<std::int64_t>(spec.default_value) && spec.dimension == Dimension::None)
    return fmt::format("{:.0f}", bound);
  return quantity_text(quantity_of(spec.dimension), bound);
}

std::string expectation(const ParameterSpec& spec) {
  const std::string range = parameter_range(spec);
  return "must be of type " + parameter_type(spec) + (range.empty() ? "" : ", " + range);
}

ParameterValue convert_parameter(const ConfigNode& node, const ParameterSpec& spec) {
  const Quantity quantity = quantity_of(spec.dimension);
  if (std::holds_alternative<bool>(spec.default_value)) {
    if (const auto* value = std::get_if<bool>(&node.value)) return *value;
  } else if (std::holds_alternative<std::string>(spec.default_value)) {
    if (const auto* value = std::get_if<std::string>(&node.value)) return *value;
  } else if (std::holds_alternative<std::int64_t>(spec.default_value)) {
    if (is_exact(quantity)) {
      if (const auto* text = std::get_if<std::string>(&node.value)) {
        const std::uint64_t value = parse_exact(quantity, *text);
        if (value > static_cast<std::uint64_t>(INT64_MAX)) throw QuantityError("\"" + *text + "\" is too large");
        return static_cast<std::int64_t>(value);
      }
    } else if (const auto* value = std::get_if<std::int64_t>(&node.value)) {
      return *value;
    }
  } else {
    if (const auto* value = std::get_if<double>(&node.value)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*value);
    if (const auto* text = std::get_if<std::string>(&node.value); text != nullptr && quantity == Quantity::Ratio)
      return parse_real(quantity, *text);
  }
  throw QuantityError(expectation(spec) + "; it is " + node.type_name());
}

}  // namespace

Quantity quantity_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::Time:
      return Quantity::Time;
    case Dimension::Bytes:
      return Quantity::Bytes;
    case Dimension::Ratio:
      return Quantity::Ratio;
    case Dimension::None:
      break;
  }
  return Quantity::None;
}

std::string parameter_type(const ParameterSpec& spec) {
  if (!spec.choices.empty()) return "choice";
  if (spec.dimension != Dimension::None) return quantity_name(quantity_of(spec.dimension));
  if (std::holds_alternative<bool>(spec.default_value)) return "boolean";
  if (std::holds_alternative<std::string>(spec.default_value)) return "text";
  return std::holds_alternative<double>(spec.default_value) ? "number" : "integer";
}

std::string parameter_range(const ParameterSpec& spec) {
  if (!spec.choices.empty()) {
    std::string text;
    for (const std::string& choice : spec.choices) text += (text.empty() ? "" : " | ") + choice;
    return text;
  }
  if (!is_number(spec) || spec.minimum == spec.maximum) return {};
  return bound_text(spec, spec.minimum) + " .. " + bound_text(spec, spec.maximum);
}

std::string parameter_toml(const ParameterSpec& spec, const ParameterValue& value) {
  const Quantity quantity = quantity_of(spec.dimension);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return toml_string(*text);
  if (const auto* real = std::get_if<double>(&value)) return toml_number(*real);
  const std::int64_t integer = std::get<std::int64_t>(value);
  if (is_exact(quantity)) return toml_string(format_exact(quantity, static_cast<std::uint64_t>(integer)));
  return std::to_string(integer);
}

ParameterValue read_parameter(const ConfigNode& node, const std::string& path, const ParameterSpec& spec) {
  ParameterValue value;
  try {
    value = convert_parameter(node, spec);
  } catch (const QuantityError& error) {
    throw ConfigError(node.where, path, error.what());
  }
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && !spec.choices.empty()) {
    if (std::find(spec.choices.begin(), spec.choices.end(), *text) == spec.choices.end())
      throw ConfigError(node.where, path, "\"" + *text + "\" is none of " + parameter_range(spec));
  }
  if (is_number(spec) && spec.minimum != spec.maximum) {
    const double number = std::holds_alternative<double>(value) ? std::get<double>(value)
                                                                : static_cast<double>(std::get<std::int64_t>(value));
    if (!(number >= spec.minimum && number <= spec.maximum))
      throw ConfigError(node.where, path,
                        bound_text(spec, number) + " is out of range; valid: " + parameter_range(spec));
  }
  return value;
}

std::map<std::string, ParameterValue> read_parameters(const ConfigNode& table, const std::string& path,
                                                      const std::vector<ParameterSpec>& specs,
                                                      const std::string& subject) {
  std::map<std::string, ParameterValue> values;
  for (const auto& [key, value] : table.table()) {
    const auto spec =
        std::find_if(specs.begin(), specs.end(), [wanted = &key](const ParameterSpec& s) { return s.name == *wanted; });
    if (spec == specs.end()) {
      std::vector<std::string> valid;
      for (const ParameterSpec& s : specs) valid.push_back(s.name);
      throw ConfigError(
          value.where, path + "." + key,
          subject + did_you_mean(key, valid) + (valid.empty() ? "; it takes none" : "; valid: " + join_names(valid)));
    }
    values[key] = read_parameter(value, path + "." + key, *spec);
  }
  return values;
}

PolicyChoice complete_part(const PolicyChoice& choice, const std::string& family) {
  const PartInfo* info = PartCatalog::instance().find(family, choice.name);
  if (info == nullptr) throw UnknownPart(family, choice.name);
  auto values = choice.parameters.all();
  for (const ParameterSpec& spec : info->parameters) values.try_emplace(spec.name, spec.default_value);
  return {info->name, ParameterValues(std::move(values))};
}

PolicyChoice read_part(const ConfigNode& node, const std::string& path, const std::string& family,
                       const std::string& fallback) {
  std::string name = fallback;
  std::string where = node.where;
  if (const auto* text = std::get_if<std::string>(&node.value)) {
    name = *text;
  } else if (node.is_table()) {
    if (const ConfigNode* named = node.find("name")) {
      if (!std::holds_alternative<std::string>(named->value))
        throw ConfigError(named->where, path + ".name", "must be a string; it is " + std::string(named->type_name()));
      name = std::get<std::string>(named->value);
      where = named->where;
    }
  } else {
    throw ConfigError(node.where, path,
                      "must be the name of a " + family +
                          " part, or a table { name = \"...\", parameter = ... }; it is " + node.type_name());
  }
  const PartInfo* info = PartCatalog::instance().find(family, name);
  if (info == nullptr) throw ConfigError(where, path, UnknownPart(family, name).what());
  std::map<std::string, ParameterValue> values;
  if (node.is_table()) {
    ConfigNode parameters = node;
    std::erase_if(parameters.table(), [](const auto& entry) { return entry.first == "name"; });
    values = read_parameters(parameters, path, info->parameters, "\"" + info->name + "\" has no such parameter");
  }
  return complete_part({name, ParameterValues(std::move(values))}, family);
}

std::string part_toml(const PolicyChoice& choice, const std::string& family) {
  const PartInfo* info = PartCatalog::instance().find(family, choice.name);
  if (info == nullptr) throw UnknownPart(family, choice.name);
  if (info->parameters.empty()) return toml_string(choice.name);
  std::string text = "{ name = " + toml_string(choice.name);
  const auto& values = choice.parameters.all();
  for (const ParameterSpec& spec : info->parameters)
    text += ", " + spec.name + " = " + parameter_toml(spec, values.at(spec.name));
  return text + " }";
}

}  // namespace flashloom
