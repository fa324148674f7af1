#include "sc_main/state/state_key.hpp"

#include <algorithm>
#include <set>

#include "controllers/ssd/firmware.hpp"
#include "sc_main/config/content_hash.hpp"
#include "sc_main/config/quantity.hpp"
#include "sc_main/config/schema.hpp"
#include "sc_main/config/toml_text.hpp"
#include "sc_main/config/writer.hpp"

namespace flashloom {
namespace {

/// False for the tables and keys that do not affect preconditioning on the instant clock.
bool is_state_key(const ConfigKey& key) {
  static const std::set<std::string> kTables = {"host",   "host.cache",  "link",    "cpu",         "cpu.cycles",
                                                "dram",   "dram.timing", "sram",    "nvram",       "precondition",
                                                "power",  "hdd",         "tier",    "heap",        "heap.nvram",
                                                "faults", "controller",  "thermal", "array.nvram", "nand.network"};
  static const std::set<std::string> kKeys = {"name",
                                              "description",
                                              "seed",
                                              "host_interface.kind",
                                              "host_interface.queue_depth",
                                              "host_interface.commands",
                                              "host_interface.namespaces",
                                              "host_interface.atomic_write",
                                              "buffer.room_waits",
                                              "hmb.minimum",
                                              "hmb.latency",
                                              "hmb.revoke_at",
                                              "hmb.lost_at",
                                              "hmb.return_at",
                                              "ftl.over_provisioning",  // in ftl.logical_size
                                              "ftl.map_location",
                                              "ftl.arbitration",
                                              "ftl.queue_limit",
                                              "ftl.gc_background",  // preconditioning leaves no gaps
                                              "ftl.gc_idle_time",
                                              "ftl.slc_idle",
                                              "nand.spare_size",
                                              "nand.bus_width",
                                              "nand.read_cycles",
                                              "nand.program_cycles",
                                              "nand.erase_cycles",
                                              "nand.multi_plane_read",
                                              "nand.independent_planes",
                                              "nand.cache_read",
                                              "nand.cache_program",
                                              "nand.program_suspend",
                                              "nand.erase_suspend",
                                              "nand.suspend_cycles",
                                              "nand.suspend_limit",
                                              "nand.ready_detection",
                                              "nand.interface",
                                              "nand.timing_mode",
                                              "nand.warmup_cycles",
                                              "nand.page_order",
                                              "nand.energy_model",
                                              "nand.plane_current_share",
                                              "nand.bus_energy_model",
                                              "nand.bus_activity",
                                              "nand.bus_strobes",
                                              "nand.bus_swing",
                                              "nand.transfer_spare",
                                              "nand.errors.retention_age",  // affects the timed run only
                                              "nand.errors.retry_time",
                                              "nand.variation.read_die",
                                              "nand.variation.read_block",
                                              "nand.variation.read_layer",
                                              "nand.open_read_factor",
                                              "nand.senses",
                                              "nand.ecc.decode_time",
                                              "nand.ecc.decode_energy",
                                              "nand.ecc.soft_decode_time",
                                              "nand.ecc.soft_decode_energy"};
  static const std::set<Quantity> kOfTheBackEnd = {
      Quantity::Time,  Quantity::TransferRate,  Quantity::Voltage,    Quantity::Current,
      Quantity::Power, Quantity::EnergyPerByte, Quantity::Capacitance};
  // The state of an array holds all its drives.
  if (key.table == "array") return key.name == "drives" || key.name == "level" || key.name == "chunk";
  if (kTables.count(key.table) != 0 || kKeys.count(key.path()) != 0) return false;
  return key.table != "nand" || kOfTheBackEnd.count(key.quantity) == 0;
}

/// "8 in the state", or "not in the state".
std::string value_in(const StateKeys& keys, const std::string& path, const std::string& where) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.first == path; });
  return (found == keys.end() ? "unknown" : found->second) + " " + where;
}

}  // namespace

// The NVRAM does not affect a state, but a configuration that keeps data in NVRAM is invalid without one.
bool shapes_state(const ConfigKey& key) {
  return is_state_key(key) || key.path() == "ftl.over_provisioning" || key.path() == "nvram.kind" ||
         key.path() == "nvram.size";
}

StateKeys state_keys(const DeviceConfig& config) {
  StateKeys keys;
  for (const ConfigKey& key : config_schema()) {
    if (!is_state_key(key) || (key.table == "array" && !config.array.present())) continue;
    keys.emplace_back(key.path(), key.path() == "ftl.logical_size"
                                      ? toml_string(format_exact(Quantity::Bytes, capacity_bytes(config)))
                                      : toml_value(key, config));
  }
  if (config.verify) keys.emplace_back("power.cut_at", config.power.cut_count() != 0 ? "a cut" : "none");
  return keys;
}

StateKeys precondition_keys(const DeviceConfig& config) {
  StateKeys keys;
  for (const ConfigKey& key : config_schema())
    if (key.table == "precondition") keys.emplace_back(key.path(), toml_value(key, config));
  return keys;
}

std::string hash_of(const StateKeys& keys) {
  ContentHash hash;
  for (const auto& [path, value] : keys) hash.add(path + " = " + value + "\n");
  return hash.text();
}

std::string difference(const StateKeys& state, const StateKeys& here, const std::string& where) {
  std::string text;
  const auto compare = [&](const StateKeys& keys, const StateKeys& others, bool only_missing) {
    for (const auto& [path, value] : keys) {
      const auto other =
          std::find_if(others.begin(), others.end(), [&p = path](const auto& k) { return k.first == p; });
      if (other != others.end() && (only_missing || other->second == value)) continue;
      text += (text.empty() ? "" : "; ") + path + " is " + value_in(state, path, where) + " and " +
              value_in(here, path, "here");
    }
  };
  compare(state, here, false);
  compare(here, state, true);
  return text;
}

}  // namespace flashloom
