// Options of `flashloom linux`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/program/options/picture_options.hpp"

namespace flashloom {

struct CommandEntry;

struct LinuxOptions {
  std::vector<std::string> devices{};  ///< device files or presets, as given: /dev/nvme0n1, /dev/nvme1n1, ...
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::string kernel{};                             ///< file; empty: searched for (find_kernel())
  std::string script{};                             ///< file; empty: a shell
  std::vector<std::string> arguments{};             ///< of the script
  std::uint64_t memory = std::uint64_t{256} << 20;  ///< bytes
  std::uint64_t watchdog_s = 60;                    ///< wall time
  std::optional<std::uint64_t> busy_call_ns{};      ///< of a system call of a guest that does not pause
  std::string out{};                                ///< folder for results
  std::string state{};                              ///< initial saved state; empty: drives are preconditioned
  std::string io_log{};
  bool quiet = false;
  bool json = false;  ///< print only the result
  PictureOptions pictures{};
};

extern const CommandEntry kLinuxCommand;

}  // namespace flashloom
