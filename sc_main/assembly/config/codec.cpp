#include "sc_main/assembly/config/codec.hpp"

#include <algorithm>
#include <cmath>

#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/part_choice.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void wrong_type(const ConfigNode& node, const ConfigKey& key) {
  const std::string range = config_range(key);
  std::string message = "must be of type " + config_type(key) + (range.empty() ? "" : ", " + range);
  if (!units_of(key.quantity).empty())
    message += ", as text with one of the units " + join_names(units_of(key.quantity));
  throw ConfigError(node.where, key.path(), message + "; it is " + node.type_name());
}

[[noreturn]] void out_of_range(const ConfigNode& node, const ConfigKey& key, const std::string& value) {
  throw ConfigError(node.where, key.path(), value + " is out of range; valid: " + config_range(key));
}

/// Runs a parser of quantities, and adds the place and the key to its errors.
template <class Parse>
auto located(const ConfigNode& node, const ConfigKey& key, Parse parse) {
  try {
    return parse();
  } catch (const QuantityError& error) {
    throw ConfigError(node.where, key.path(), error.what());
  }
}

/// The node's integer, in the key's smallest unit. Throws ConfigError if it is out of range.
std::uint64_t read_integer(const ConfigNode& node, const ConfigKey& key) {
  std::uint64_t value = 0;
  if (is_exact(key.quantity)) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) wrong_type(node, key);
    value = located(node, key, [&] { return parse_exact(key.quantity, *text); });
    if (static_cast<double>(value) < key.minimum || static_cast<double>(value) > key.maximum)
      out_of_range(node, key, *text);
  } else {
    const auto* integer = std::get_if<std::int64_t>(&node.value);
    if (integer == nullptr) wrong_type(node, key);
    if (*integer < 0) out_of_range(node, key, std::to_string(*integer));
    value = static_cast<std::uint64_t>(*integer);
    if (static_cast<double>(value) < key.minimum || static_cast<double>(value) > key.maximum)
      out_of_range(node, key, std::to_string(value));
  }
  return value;
}

/// Real numbers of the key are written without a unit.
bool is_plain(const ConfigKey& key) { return key.quantity == Quantity::None || key.quantity == Quantity::Ratio; }

double read_real(const ConfigNode& node, const ConfigKey& key) {
  double value = 0;
  const bool plain = is_plain(key);
  if (const auto* text = std::get_if<std::string>(&node.value); text != nullptr && key.quantity != Quantity::None) {
    value = located(node, key, [&] { return parse_real(key.quantity, *text); });
  } else if (const auto* real = std::get_if<double>(&node.value); real != nullptr && plain) {
    value = *real;
  } else if (const auto* integer = std::get_if<std::int64_t>(&node.value); integer != nullptr && plain) {
    value = static_cast<double>(*integer);
  } else {
    wrong_type(node, key);
  }
  if (!(value >= key.minimum && value <= key.maximum)) out_of_range(node, key, quantity_text(key.quantity, value));
  return value;
}

std::string read_text(const ConfigNode& node, const ConfigKey& key) {
  const auto* text = std::get_if<std::string>(&node.value);
  if (text == nullptr) wrong_type(node, key);
  if (!key.choices.empty() && std::find(key.choices.begin(), key.choices.end(), *text) == key.choices.end()) {
    throw ConfigError(node.where, key.path(),
                      "\"" + *text + "\" is none of " + config_range(key) + did_you_mean(*text, key.choices));
  }
  return *text;
}

const ConfigNode::Array& read_array(const ConfigNode& node, const ConfigKey& key) {
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) wrong_type(node, key);
  return *array;
}

template <class Read>
auto read_each(const ConfigNode::Array& array, const ConfigKey& key, Read read) {
  std::vector<decltype(read(array.front(), key))> values;
  for (const ConfigNode& element : array) values.push_back(read(element, key));
  return values;
}

Json exact_json(const ConfigKey& key, std::uint64_t value) {
  if (is_exact(key.quantity)) return format_exact(key.quantity, value);
  return value;
}

Json part_json(const PolicyChoice& part, const std::string& family) {
  const PartInfo* info = PartCatalog::instance().find(family, part.name);
  if (info == nullptr) throw UnknownPart(family, part.name);
  if (info->parameters.empty()) return part.name;
  Json json{{"name", part.name}};
  for (const ParameterSpec& spec : info->parameters) {
    const ParameterValue& value = part.parameters.all().at(spec.name);
    const Quantity quantity = quantity_of(spec.dimension);
    if (const auto* integer = std::get_if<std::int64_t>(&value); integer != nullptr && is_exact(quantity)) {
      json[spec.name] = format_exact(quantity, static_cast<std::uint64_t>(*integer));
    } else {
      std::visit([&](const auto& v) { json[spec.name] = v; }, value);
    }
  }
  return json;
}

/// Name of the type of a single value; `name` if the key has neither choices nor a quantity.
std::string plain_type(const ConfigKey& key, const char* name) {
  if (!key.choices.empty()) return "choice";
  return key.quantity != Quantity::None ? quantity_name(key.quantity) : name;
}

/// Bounds of a number, for its JSON Schema; those of the type itself are left out.
Json bounded(Json schema, const ConfigKey& key) {
  const auto bound = [](double value) {
    return value == std::floor(value) && std::abs(value) < kMaxCount ? Json(static_cast<std::int64_t>(value))
                                                                     : Json(value);
  };
  schema["minimum"] = bound(key.minimum);
  if (key.maximum < kMaxCount) schema["maximum"] = bound(key.maximum);
  return schema;
}

Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

/// One type of value: its name, its reader, its value as JSON, and the JSON Schema of that.
template <class Value>
struct Codec;

template <>
struct Codec<bool> {
  static std::string type(const ConfigKey& key) { return plain_type(key, "boolean"); }
  static bool read(const ConfigNode& node, const ConfigKey& key) {
    if (!key.choices.empty()) return read_text(node, key) == key.choices.back();
    const auto* value = std::get_if<bool>(&node.value);
    if (value == nullptr) wrong_type(node, key);
    return *value;
  }
  static Json json(const ConfigKey& key, bool value) {
    if (!key.choices.empty()) return value ? key.choices.back() : key.choices.front();
    return value;
  }
  static Json schema(const ConfigKey& key) {
    if (!key.choices.empty()) return {{"enum", key.choices}};
    return {{"type", "boolean"}};
  }
};

template <>
struct Codec<std::uint64_t> {
  static std::string type(const ConfigKey& key) { return plain_type(key, "integer"); }
  static std::uint64_t read(const ConfigNode& node, const ConfigKey& key) { return read_integer(node, key); }
  static Json json(const ConfigKey& key, std::uint64_t value) { return exact_json(key, value); }
  static Json schema(const ConfigKey& key) {
    if (is_exact(key.quantity)) return {{"type", "string"}};
    return bounded({{"type", "integer"}}, key);
  }
};

template <>
struct Codec<std::uint32_t> : Codec<std::uint64_t> {
  static std::uint32_t read(const ConfigNode& node, const ConfigKey& key) {
    return static_cast<std::uint32_t>(read_integer(node, key));
  }
};

template <>
struct Codec<double> {
  static std::string type(const ConfigKey& key) { return plain_type(key, "number"); }
  static double read(const ConfigNode& node, const ConfigKey& key) { return read_real(node, key); }
  static Json json(const ConfigKey& key, double value) {
    if (is_plain(key)) return value;
    return format_real(key.quantity, value);
  }
  static Json schema(const ConfigKey& key) {
    return is_plain(key) ? bounded({{"type", "number"}}, key) : Json{{"type", "string"}};
  }
};

template <>
struct Codec<std::string> {
  static std::string type(const ConfigKey& key) { return plain_type(key, "text"); }
  static std::string read(const ConfigNode& node, const ConfigKey& key) { return read_text(node, key); }
  static Json json(const ConfigKey&, const std::string& value) { return value; }
  static Json schema(const ConfigKey& key) {
    if (!key.choices.empty()) return {{"enum", key.choices}};
    return {{"type", "string"}};
  }
};

/// A list of times, one per page type, or a list of sizes.
template <>
struct Codec<std::vector<std::uint64_t>> {
  static std::string type(const ConfigKey& key) {
    return key.quantity == Quantity::Bytes ? "array of sizes" : "time, or array of times";
  }
  static std::vector<std::uint64_t> read(const ConfigNode& node, const ConfigKey& key) {
    constexpr std::size_t kMostSizes = 1024;
    constexpr std::size_t kMaxPageTypes = 16;
    if (key.quantity == Quantity::Bytes) {
      const ConfigNode::Array& array = read_array(node, key);
      if (array.size() > kMostSizes) throw ConfigError(node.where, key.path(), "has more than 1024 sizes");
      return read_each(array, key, read_integer);
    }
    const auto* array = std::get_if<ConfigNode::Array>(&node.value);
    if (array == nullptr) return {read_integer(node, key)};
    if (array->empty() || array->size() > kMaxPageTypes)
      throw ConfigError(node.where, key.path(), "must have 1 .. 16 values, one a page type");
    return read_each(*array, key, read_integer);
  }
  static Json json(const ConfigKey& key, const std::vector<std::uint64_t>& values) {
    Json array = Json::array();
    for (const std::uint64_t value : values) array.push_back(exact_json(key, value));
    return array;
  }
  static Json schema(const ConfigKey& key) { return array_of(Codec<std::uint64_t>::schema(key)); }
};

template <>
struct Codec<std::vector<std::uint32_t>> {
  static std::string type(const ConfigKey&) { return "array of integers"; }
  static std::vector<std::uint32_t> read(const ConfigNode& node, const ConfigKey& key) {
    const auto* array = std::get_if<ConfigNode::Array>(&node.value);
    if (array == nullptr) return {Codec<std::uint32_t>::read(node, key)};
    return read_each(*array, key, Codec<std::uint32_t>::read);
  }
  static Json json(const ConfigKey&, const std::vector<std::uint32_t>& values) { return values; }
  static Json schema(const ConfigKey& key) { return array_of(Codec<std::uint32_t>::schema(key)); }
};

template <>
struct Codec<std::vector<double>> {
  static std::string type(const ConfigKey& key) {
    if (key.quantity == Quantity::None) return "number, or array of numbers";
    const std::string name = quantity_name(key.quantity);
    return name + ", or array of such";
  }
  static std::vector<double> read(const ConfigNode& node, const ConfigKey& key) {
    constexpr std::size_t kMost = 16;
    const auto* array = std::get_if<ConfigNode::Array>(&node.value);
    if (array == nullptr) return {read_real(node, key)};
    if (array->size() > kMost) throw ConfigError(node.where, key.path(), "has more than 16 values");
    return read_each(*array, key, read_real);
  }
  static Json json(const ConfigKey& key, const std::vector<double>& values) {
    Json array = Json::array();
    for (const double value : values) array.push_back(Codec<double>::json(key, value));
    return array;
  }
  static Json schema(const ConfigKey& key) { return array_of(Codec<double>::schema(key)); }
};

template <>
struct Codec<std::vector<std::string>> {
  static std::string type(const ConfigKey&) { return "array of choices"; }
  static std::vector<std::string> read(const ConfigNode& node, const ConfigKey& key) {
    return read_each(read_array(node, key), key, read_text);
  }
  static Json json(const ConfigKey&, const std::vector<std::string>& values) { return values; }
  static Json schema(const ConfigKey& key) { return array_of(Codec<std::string>::schema(key)); }
};

template <>
struct Codec<PolicyChoice> {
  static std::string type(const ConfigKey& key) { return "part (" + key.family + ")"; }
  static Json json(const ConfigKey& key, const PolicyChoice& part) { return part_json(part, key.family); }
  static Json schema(const ConfigKey&) { return {{"$ref", "#/$defs/part"}}; }
};

/// An array of tables, whose elements have their own schema. List gives that schema, and the member of the
/// configuration.
template <class List>
struct TablesCodec {
  using Element = typename List::Element;
  static std::string type(const ConfigKey&) { return "array of tables"; }
  static std::vector<Element> read(const ConfigNode& node, const ConfigKey& key) {
    constexpr std::size_t kMost = 32;  // power states of NVMe
    const ConfigNode::Array& array = read_array(node, key);
    if (array.size() > kMost) throw ConfigError(node.where, key.path(), "has more than 32 elements");
    return read_each(array, key, read_element);
  }
  static Json json(const ConfigKey&, const std::vector<Element>& elements) {
    Json array = Json::array();
    DeviceConfig one;
    for (const Element& element : elements) {
      List::of(one) = {element};
      Json& json = array.emplace_back(Json::object());
      for (const ConfigKey& each : List::schema()) json[each.name] = json_value(each, one);
    }
    return array;
  }
  static Json schema(const ConfigKey&) { return array_of(object_schema(List::schema())); }

 private:
  static Element read_element(const ConfigNode& element, const ConfigKey& key) {
    if (!element.is_table())
      throw ConfigError(element.where, key.path(), "each element is a table, [[" + key.path() + "]]");
    const std::vector<ConfigKey>& schema = List::schema();
    DeviceConfig one;
    List::of(one).resize(1);
    for (const auto& [name, value] : element.table()) {
      const auto found =
          std::find_if(schema.begin(), schema.end(), [&n = name](const ConfigKey& k) { return k.name == n; });
      if (found == schema.end()) {
        std::vector<std::string> valid;
        for (const ConfigKey& each : schema) valid.push_back(each.name);
        throw ConfigError(value.where, key.path() + "." + name, "no such key; valid: " + join_names(valid));
      }
      read_value(value, *found, one);
    }
    return List::of(one).front();
  }
};

struct PowerStateList {
  using Element = PowerStateConfig;
  static const std::vector<ConfigKey>& schema() { return power_state_schema(); }
  static std::vector<Element>& of(DeviceConfig& config) { return config.power.states; }
};
struct OperatingPointList {
  using Element = OperatingPoint;
  static const std::vector<ConfigKey>& schema() { return operating_point_schema(); }
  static std::vector<Element>& of(DeviceConfig& config) { return config.cpu.points; }
};
template <>
struct Codec<std::vector<PowerStateConfig>> : TablesCodec<PowerStateList> {};
template <>
struct Codec<std::vector<OperatingPoint>> : TablesCodec<OperatingPointList> {};

}  // namespace

void read_value(const ConfigNode& node, const ConfigKey& key, DeviceConfig& config) {
  std::visit(
      [&]<class Value>(Value* value) {
        if constexpr (std::is_same_v<Value, PolicyChoice>)
          *value = read_part(node, key.path(), key.family, value->name);  // the present name is the default
        else
          *value = Codec<Value>::read(node, key);
      },
      key.member(config));
}

nlohmann::ordered_json json_value(const ConfigKey& key, const DeviceConfig& config) {
  // Members are reached through a mutable configuration; nothing is written.
  return std::visit([&]<class Value>(const Value* value) { return Codec<Value>::json(key, *value); },
                    key.member(const_cast<DeviceConfig&>(config)));
}

Json object_schema(const std::vector<ConfigKey>& keys) {
  Json properties = Json::object(), required = Json::array();
  DeviceConfig scratch;
  for (const ConfigKey& key : keys) {
    properties[key.name] =
        std::visit([&]<class Value>(const Value*) { return Codec<Value>::schema(key); }, key.member(scratch));
    properties[key.name]["description"] = key.help;
    required.push_back(key.name);
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

std::string config_type(const ConfigKey& key) {
  DeviceConfig scratch;
  return std::visit([&]<class Value>(const Value*) { return Codec<Value>::type(key); }, key.member(scratch));
}

}  // namespace flashloom
