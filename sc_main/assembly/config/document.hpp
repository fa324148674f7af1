// A device file as a tree of values with their places: the TOML text plus the `--set` overrides.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace flashloom {

/// An invalid configuration; what() is "where: key: what is wrong and what would be valid". `where` is "file:line", or
/// "--set path", which includes the key.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const std::string& where, const std::string& key, const std::string& message);
};

/// One TOML value with its origin.
struct ConfigNode {
  using Array = std::vector<ConfigNode>;
  using Table = std::vector<std::pair<std::string, ConfigNode>>;  ///< in the order of the file
  struct Foreign {};                                              ///< date or time: no key takes one

  std::variant<bool, std::int64_t, double, std::string, Array, Table, Foreign> value;
  std::string where;  ///< "device.toml:12" or "--set nand.channels"

  bool is_table() const { return std::holds_alternative<Table>(value); }
  const Table& table() const { return std::get<Table>(value); }
  Table& table() { return std::get<Table>(value); }
  /// Null if there is no such key; the node must be a table.
  const ConfigNode* find(std::string_view key) const;
  ConfigNode* find(std::string_view key);
  /// "a string", "an integer", ...
  const char* type_name() const;
};

/// Parses TOML text; `name` is the file's name for messages. Throws ConfigError on a syntax error or a duplicate.
ConfigNode parse_document(const std::string& text, const std::string& name);

/// Parses a value of a command line: a TOML value, else a bare string. `where` is its place for messages.
ConfigNode parse_value(const std::string& text, const std::string& where);

/// Applies one override "path=value" to the tree. The value is a TOML value, else a string, so "nand.read_time=25 us"
/// needs no quotes. Makes the tables of the path. Adds to `dropped` what gave way to it (give_way.hpp). Throws
/// ConfigError.
void apply_override(ConfigNode& document, const std::string& assignment,
                    std::map<std::string, std::vector<std::string>>& dropped);

}  // namespace flashloom
