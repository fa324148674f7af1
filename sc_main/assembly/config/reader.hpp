// Converts a document to a DeviceConfig, by the schema.
#pragma once

#include <map>
#include <string>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/document.hpp"

namespace flashloom {

/// The place where each value was written, for messages about combinations of keys.
class ConfigOrigins {
 public:
  explicit ConfigOrigins(std::string file) : file_(std::move(file)) {}
  void note(const std::string& path, const std::string& where) { places_[path] = where; }
  /// Whether the key (or table) was written, rather than left to its default.
  bool written(const std::string& path) const { return places_.count(path) != 0; }
  /// "file:line" or "--set path"; for a default value the line of its table, or the file.
  std::string where(const std::string& path) const;

 private:
  std::string file_;
  std::map<std::string, std::string> places_;
};

/// Fills a configuration from the document and notes the origins. Keys that it leaves out have their defaults, some of
/// which depend on other keys ([nvram] kind, [link] kind). Throws ConfigError on an unknown table or key, a wrong type,
/// unit, choice or range.
DeviceConfig read_device(const ConfigNode& document, ConfigOrigins& origins);

}  // namespace flashloom
