// What a saved state depends on: the effective configuration keys that shape a preconditioned device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/schema.hpp"

namespace flashloom {

/// Keys by path with their values as TOML, in the order of the schema.
using StateKeys = std::vector<std::pair<std::string, std::string>>;

/// Whether a saved state may depend on a key; for one outside of [precondition]. True of what state_keys() below has,
/// and of ftl.over_provisioning, from which ftl.logical_size comes.
bool shapes_state(const ConfigKey& key);

/// Everything but what acts on the timed clock only (times, currents, link, cores, memories, host, arbitration), names,
/// the seed and [precondition]. A key that nobody has thought about belongs to it. `ftl.logical_size` is the effective
/// one; with verify, `power.cut_at` is there as "a cut" or "none", for the oracle keeps more for a cut.
StateKeys state_keys(const DeviceConfig& config);
/// [precondition] in the same form.
StateKeys precondition_keys(const DeviceConfig& config);

/// 16 hexadecimal digits.
std::string hash_of(const StateKeys& keys);
/// "nand.channels is 8 in the state and 4 here; ..."; empty if they are equal. `where`: keys other than ours are.
std::string difference(const StateKeys& state, const StateKeys& here, const std::string& where = "in the state");

}  // namespace flashloom
