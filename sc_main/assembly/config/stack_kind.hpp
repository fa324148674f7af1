// What a drive may have beside it, or around it: each kind can be left out of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

class Ssd;
class StackPart;

/// A kind of StackPart. A static RegisterStackKind beside its code puts it into the program.
struct StackKind {
  const char* name;  ///< "array", "heap", "tier": of FLASHLOOM_WITH_NAME, too
  /// Checks the tables of a device that has one; throws ConfigProblem. All other tables have been checked.
  void (*check)(const DeviceConfig& config);
  /// Capacity for the host, in bytes, of a validated device.
  std::uint64_t (*capacity_bytes)(const DeviceConfig& config);
  /// `config` must be validated and outlive the part; so must `ssd`, its (first) drive.
  std::unique_ptr<StackPart> (*make)(const DeviceConfig& config, Ssd& ssd);
  /// Its lines of the summary of a result; empty if that has none.
  std::string (*summary)(const nlohmann::ordered_json& result);
};

struct RegisterStackKind {
  explicit RegisterStackKind(const StackKind& kind);
};

/// The kinds in the program.
const std::vector<const StackKind*>& stack_kinds();
/// The kind of which the device has one, the outermost of several; null: a drive alone. The device is validated.
const StackKind* stack_kind_of(const DeviceConfig& config);
/// The kind that caches the disk of a tier; null: a drive alone.
const StackKind* cache_kind_of(const DeviceConfig& config);
/// Checks each kind that the device has, and refuses those that are not in the program. Throws ConfigProblem.
void check_stack(const DeviceConfig& config);

}  // namespace flashloom
