// Swappable parts in a device file: `replacement = "lru"` or `garbage_collection = { name = "d_choices", d = 3 }`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policies/parameters.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/quantity.hpp"

namespace flashloom {

/// The quantity in which a declared parameter is written.
Quantity quantity_of(Dimension dimension);
/// "integer", "time", "choice", ...
std::string parameter_type(const ParameterSpec& spec);
/// "1 .. 16"; "a | b"; empty if any value is valid.
std::string parameter_range(const ParameterSpec& spec);
/// A value as TOML: `3`, `"25 us"`, `true`.
std::string parameter_toml(const ParameterSpec& spec, const ParameterValue& value);

/// Reads the value of a declared parameter with key `path`. Throws ConfigError: type, unit, range.
ParameterValue read_parameter(const ConfigNode& node, const std::string& path, const ParameterSpec& spec);
/// Reads the parameters given in a table. Throws ConfigError, also for an undeclared key; that message begins with
/// `subject` and lists the valid ones.
std::map<std::string, ParameterValue> read_parameters(const ConfigNode& table, const std::string& path,
                                                      const std::vector<ParameterSpec>& specs,
                                                      const std::string& subject);

/// Reads a part of `family` with key `path`; `fallback`: its name if the table gives none. Fills in and checks all
/// parameters. Throws ConfigError.
PolicyChoice read_part(const ConfigNode& node, const std::string& path, const std::string& family,
                       const std::string& fallback);
/// The part with its own name (not an alias) and every parameter. Throws UnknownPart.
PolicyChoice complete_part(const PolicyChoice& choice, const std::string& family);
/// As TOML: the name if the part has no parameters, else an inline table. The choice must be complete.
std::string part_toml(const PolicyChoice& choice, const std::string& family);

}  // namespace flashloom
