// Options of `flashloom nbd`.
#pragma once

#include <string>

#include "sc_main/attach/serve/serve_options.hpp"

namespace flashloom {

struct CommandEntry;

struct NbdOptions : ServeOptions {
  std::string run{};    ///< shell command; empty: serve until a signal comes
  std::string state{};  ///< folder of the drive's persistent state; empty: none
  bool sync = false;    ///< acknowledged writes are synced to the host's disk
};

extern const CommandEntry kNbdCommand;

}  // namespace flashloom
