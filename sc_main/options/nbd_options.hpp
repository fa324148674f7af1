// Options of `flashloom nbd`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/options/picture_options.hpp"

namespace flashloom {

struct CommandEntry;

struct NbdOptions {
  std::string device;  ///< device file or preset, as given
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::string socket{};              ///< path; empty: one in a temporary folder, for `run`
  std::string run{};                 ///< shell command; empty: serve until a signal comes
  std::string state{};               ///< folder of the drive that outlives the server; empty: none
  bool sync = false;                 ///< acknowledged writes are on the disk
  double pace = 0;                   ///< wall seconds of a simulated second; 0: no pace
  std::uint64_t gather_us = 200;     ///< on the wall: see NbdFront
  std::uint64_t memory = 512 << 20;  ///< bytes of contents in memory
  std::string out{};                 ///< folder for results
  std::string io_log{};
  bool quiet = false;
  bool json = false;  ///< the result on the output, in place of what else would be there
  PictureOptions pictures{};
};

extern const CommandEntry kNbdCommand;

}  // namespace flashloom
