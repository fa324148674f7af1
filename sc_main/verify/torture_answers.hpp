// What `flashloom torture` prints, whatever it has cut the power of.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "sc_main/verify/torture_options.hpp"

namespace flashloom {

/// --json: prints the object described in docs/reference/results.md. `first`: the first failure; null: none. Returns
/// `code`.
int tell_json(std::ostream& out, const TortureOptions& options, const DeviceConfig& config, const char* kind,
              std::uint64_t cuts, nlohmann::ordered_json counts, const TortureFailure* first, int code);
void print_failure(std::ostream& out, const TortureOptions& options, const TortureFailure& failure);

/// Tortures of the kinds of StackPart, by the kind's name; each returns the exit code. Static objects add them.
using StackTorture = int (*)(const TortureOptions& options, const DeviceConfig& config, std::ostream& out);
std::map<std::string, StackTorture>& stack_tortures();
struct RegisterStackTorture {
  RegisterStackTorture(const char* kind, StackTorture torture) { stack_tortures()[kind] = torture; }
};

}  // namespace flashloom
