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
  bool expect_faults = false;  ///< the [faults] of the device must be detected: it is a failure if they are not
  std::string scenario{};      ///< work of a Linux guest during the cuts; empty: no guest
  bool own_script = false;     ///< `scenario` is a file for the guest's /bin/sh
  std::string kernel{};        ///< of the guest; empty: searched for (find_kernel())
  Picoseconds at = 0;          ///< time of the only cut of a guest; 0: random cuts
  bool quiet = false;
  bool json = false;  ///< print counts and failures as JSON instead of the summary
};

/// The command with its device and overrides, as a shell command line.
std::string command_line(const TortureOptions& options);

extern const CommandEntry kTortureCommand;

}  // namespace flashloom
