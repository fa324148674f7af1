// The schema of device files: every key with its table, type, unit, default, range and meaning. The reader, the writer,
// the list of keys and the range checks all use it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/quantity.hpp"

namespace flashloom {

/// The member of a DeviceConfig with a key's value; its alternative is the key's type.
using ConfigMember =
    std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, std::string*, std::vector<Picoseconds>*,
                 std::vector<double>*, std::vector<std::string>*, PolicyChoice*, std::vector<PowerStateConfig>*,
                 std::vector<OperatingPoint>*, std::vector<std::uint32_t>*>;

/// Whether a key's value is part of what identifies a preconditioned state.
enum class StateRole : std::uint8_t {
  Unsaid,     ///< a defect of the table's description
  Shapes,     ///< preconditioning leaves another state for another value
  TimedOnly,  ///< it affects the timed run only
};

struct ConfigKey {
  std::string table;  ///< "nand", "cpu.cycles"; empty at the top level
  std::string name;
  std::function<ConfigMember(DeviceConfig&)> member;
  Quantity quantity = Quantity::None;
  double minimum = 0;  ///< inclusive, in the unit of the member
  double maximum = 0;  ///< inclusive
  /// For a string or each string of a list; for a boolean: its texts for false and true.
  std::vector<std::string> choices{};
  std::string family{};  ///< of a swappable part
  std::string help{};    ///< one line
  /// Affects the power of parts, but not what they do and when; why_it_runs_again() has exceptions.
  bool draws_only = false;
  StateRole role = StateRole::Unsaid;
  bool rare = false;                   ///< no preset, study or bench sets it
  std::vector<std::string> samples{};  ///< TOML texts of values that random devices try, if its type does not say which

  /// Names of keys and tables in its table, of which a choice that is no "custom" or "none" brings the values with it;
  /// with `brings_the_rest` all but these.
  std::vector<std::string> brought{};
  bool brings_the_rest = false;
  std::string partner{};  ///< choice in its table without which it brings nothing; empty: none

  bool brings_any() const { return brings_the_rest || !brought.empty(); }
  /// Whether it brings the key or table of that name in its table.
  bool brings(const std::string& other) const;
  /// The same of a key anywhere in the device file.
  bool brings_path(const std::string& path) const;
  /// "nand.read_time".
  std::string path() const;
};

/// "nand.read_time" of "nand" and "read_time"; "seed" of "" and "seed".
std::string path_in(const std::string& table, const std::string& name);

/// Every key, tables together, in the order in which a device file is printed.
const std::vector<ConfigKey>& config_schema();
/// Keys of one element of the array of tables [[power.states]]; their members are those of the configuration's first
/// power state.
const std::vector<ConfigKey>& power_state_schema();
/// The same for [[cpu.points]].
const std::vector<ConfigKey>& operating_point_schema();
/// Names of all tables, in that order.
const std::vector<std::string>& config_tables();
/// Null if there is none.
const ConfigKey* find_config_key(const std::string& path);

/// "integer", "time", "part (garbage_collection)", ...
std::string config_type(const ConfigKey& key);
/// "1 .. 64", "10 MT/s .. 4800 MT/s", "pcie | sata | ideal"; empty if any value is valid.
std::string config_range(const ConfigKey& key);
/// A number of this quantity as text with its unit: bounds and defaults in messages.
std::string quantity_text(Quantity quantity, double value);

}  // namespace flashloom
