#include "sc_main/assembly/config/generator_choice.hpp"

#include "sc_main/assembly/config/part_choice.hpp"

namespace flashloom {
namespace {

Dimension dimension_of(GeneratorUnit unit) {
  switch (unit) {
    case GeneratorUnit::Time:
      return Dimension::Time;
    case GeneratorUnit::Bytes:
      return Dimension::Bytes;
    case GeneratorUnit::Ratio:
      return Dimension::Ratio;
    case GeneratorUnit::None:
    case GeneratorUnit::Sizes:
      break;
  }
  return Dimension::None;
}

GeneratorValue to_generator(const ParameterValue& value) {
  return std::visit([](const auto& v) { return GeneratorValue(v); }, value);
}

ParameterSpec spec_of(const GeneratorParameter& parameter) {
  ParameterSpec spec;
  spec.name = parameter.name;
  spec.dimension = dimension_of(parameter.unit);
  spec.choices = parameter.choices;
  spec.help = parameter.help;
  if (const auto* sizes = std::get_if<WeightedSizes>(&parameter.default_value)) {
    spec.default_value = format_weighted_sizes(*sizes);  // a text: the bounds apply to each size, checked separately
    return spec;
  }
  spec.minimum = parameter.minimum;
  spec.maximum = parameter.maximum;
  if (const auto* flag = std::get_if<bool>(&parameter.default_value)) spec.default_value = *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&parameter.default_value)) spec.default_value = *integer;
  if (const auto* real = std::get_if<double>(&parameter.default_value)) spec.default_value = *real;
  if (const auto* text = std::get_if<std::string>(&parameter.default_value)) spec.default_value = *text;
  return spec;
}

WeightedSizes read_sizes(const ConfigNode& node, const std::string& path, const GeneratorParameter& parameter,
                         const std::string& text) {
  WeightedSizes sizes;
  try {
    sizes = parse_weighted_sizes(text);
  } catch (const QuantityError& error) {
    throw ConfigError(node.where, path, error.what());
  }
  for (const auto& [size, weight] : sizes)
    if (static_cast<double>(size) < parameter.minimum || static_cast<double>(size) > parameter.maximum)
      throw ConfigError(node.where, path,
                        format_exact(Quantity::Bytes, size) + " is out of range; valid: " +
                            format_exact(Quantity::Bytes, static_cast<std::uint64_t>(parameter.minimum)) + " .. " +
                            format_exact(Quantity::Bytes, static_cast<std::uint64_t>(parameter.maximum)));
  return sizes;
}

}  // namespace

std::vector<ParameterSpec> generator_specs(const Generator& generator) {
  std::vector<ParameterSpec> specs;
  for (const GeneratorParameter& parameter : generator.parameters) specs.push_back(spec_of(parameter));
  return specs;
}

std::map<std::string, GeneratorValue> read_generator_parameters(const ConfigNode& table, const std::string& path,
                                                                const Generator& generator) {
  const auto read = read_parameters(table, path, generator_specs(generator),
                                    "generator \"" + generator.name + "\" has no such parameter");
  std::map<std::string, GeneratorValue> values;
  for (const GeneratorParameter& parameter : generator.parameters) {
    const auto found = read.find(parameter.name);
    if (found == read.end()) continue;
    if (parameter.unit == GeneratorUnit::Sizes)
      values[parameter.name] = read_sizes(*table.find(parameter.name), path + "." + parameter.name, parameter,
                                          std::get<std::string>(found->second));
    else
      values[parameter.name] = to_generator(found->second);
  }
  return values;
}

WeightedSizes parse_weighted_sizes(const std::string& text) {
  WeightedSizes sizes;
  double sum = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t colon = part.find(':');
    const double weight = colon == std::string::npos ? 1.0 : parse_real(Quantity::Ratio, part.substr(colon + 1));
    sizes.emplace_back(parse_exact(Quantity::Bytes, part.substr(0, colon)), weight);
    sum += weight;
    begin = end + 1;
  }
  if (!(sum > 0)) throw QuantityError("\"" + text + "\" gives no size a weight");
  return sizes;
}

std::string format_weighted_sizes(const WeightedSizes& sizes) {
  std::string text;
  for (const auto& [size, weight] : sizes) {
    if (!text.empty()) text += ", ";
    text += format_exact(Quantity::Bytes, size);
    if (sizes.size() > 1) text += ": " + format_real(Quantity::Ratio, weight);
  }
  return text;
}

}  // namespace flashloom
