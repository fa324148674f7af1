// The effective configuration keys on which the saved state of a preconditioned device depends.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {

/// Keys by path with their values as TOML, in the order of the schema.
using StateKeys = std::vector<std::pair<std::string, std::string>>;

/// Whether a saved state may depend on a key outside of [precondition]: the keys of state_keys() below, and
/// ftl.over_provisioning, which determines ftl.logical_size.
bool shapes_state(const ConfigKey& key);

/// All keys except those that affect only the timed clock (times, currents, link, cores, memories, host, arbitration),
/// names, the seed and [precondition]. Keys must be excluded explicitly, so a new key is included. Channels, ways and dies
/// of a way are one number, of all dies, where nothing tells dies apart but their numbers. `ftl.logical_size`
/// is the effective one; with verify, `power.cut_at` is "a cut" or "none", since the oracle keeps more data for a cut.
StateKeys state_keys(const DeviceConfig& config);
/// [precondition] in the same form.
StateKeys precondition_keys(const DeviceConfig& config);

/// 16 hexadecimal digits.
std::string hash_of(const StateKeys& keys);
/// "nand.channels is 8 in the state and 4 here; ..."; empty if they are equal. `where`: place of the first keys.
std::string difference(const StateKeys& state, const StateKeys& here, const std::string& where = "in the state");

}  // namespace flashloom
