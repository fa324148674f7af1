// Options of `flashloom vfio-user`.
#pragma once

#include <string>

#include "sc_main/attach/serve/serve_options.hpp"

namespace flashloom {

struct CommandEntry;

struct VfioUserOptions : ServeOptions {
  std::string state{};       ///< file of a saved state; empty: none
  std::string save_state{};  ///< file for the drive's state at the end; empty: none
};

extern const CommandEntry kVfioUserCommand;

}  // namespace flashloom
