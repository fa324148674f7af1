// Choices that bring figures of their own (ConfigKey::brings()): what is below a changed choice gives way to them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sc_main/assembly/config/document.hpp"

namespace flashloom {

/// Path of a choice -> paths of the keys whose values were dropped, as it was changed above them.
using DroppedValues = std::map<std::string, std::vector<std::string>>;

/// Removes source and range of a key of `table`, but for what the command line says.
void drop_remarks(ConfigNode& table, const std::string& key);

/// Before `value` of the key `key` in [table_path] is merged into `table`: if that changes the value below, removes what
/// the choice brings from `table`, with sources and ranges, but for what the command line says. A "custom" or "none"
/// brings nothing, and an empty array neither.
void give_way(ConfigNode& table, const std::string& table_path, const std::string& key, const ConfigNode& value,
              DroppedValues& dropped);

/// "dram.kind brings its own figures: dropped dram.bandwidth, dram.endurance"
std::string dropped_text(const std::string& choice, const std::vector<std::string>& keys);

}  // namespace flashloom
