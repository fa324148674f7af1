// Options of `flashloom nbd`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/program/options/picture_options.hpp"

namespace flashloom {

struct CommandEntry;

struct NbdOptions {
  std::string device;  ///< device file or preset, as given
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::string socket{};              ///< path; empty: a socket in a temporary folder, for `run`
  std::string run{};                 ///< shell command; empty: serve until a signal comes
  std::string state{};               ///< folder of the drive's persistent state; empty: none
  bool sync = false;                 ///< acknowledged writes are synced to the host's disk
  double pace = 0;                   ///< seconds of wall time per simulated second; 0: no pace
  std::uint64_t gather_us = 200;     ///< wall time: see NbdFront
  std::uint64_t memory = 512 << 20;  ///< bytes of contents in memory
  std::string out{};                 ///< folder for results
  std::string io_log{};
  bool quiet = false;
  bool json = false;  ///< print only the result
  PictureOptions pictures{};
};

extern const CommandEntry kNbdCommand;

}  // namespace flashloom
