// Options of `flashloom torture`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

struct CommandEntry;

struct TortureOptions {
  std::string device;
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::uint64_t cuts = 1000;
  bool timed = false;          ///< through the host interface, on the timed clock
  bool expect_faults = false;  ///< of a device with [faults]: that they are caught is no failure, but that they are not
  std::string scenario{};      ///< what a Linux guest does meanwhile; empty: no guest
  std::string kernel{};        ///< of the guest; empty: found (Guest)
  Picoseconds at = 0;          ///< of a guest's cut, the only one; 0: at random
  bool quiet = false;
  bool json = false;  ///< counts and failures on the output as JSON, in place of the summary
};

/// The command, its device and its overrides, as one types them.
std::string command_line(const TortureOptions& options);

/// What a Linux guest can do meanwhile: scenarios of tools/linux-guest/torture.py.
std::vector<std::string> torture_scenarios();

extern const CommandEntry kTortureCommand;

}  // namespace flashloom
