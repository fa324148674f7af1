// Options of the commands that list parts and keys: `flashloom list` and `flashloom config`.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

/// flashloom list
struct ListOptions {
  std::string family{};  ///< empty: all
  bool json = false;
  bool all = false;       ///< config: rare keys, too; in JSON they always are
  bool schema = false;    ///< config: the JSON Schema of `flashloom config --json`
  bool no_pager = false;  ///< use no pager even for a long output on a terminal
};

/// flashloom config
struct ConfigOptions {
  std::string device;
  std::vector<std::string> overrides{};
  bool json = false;
};

extern const CommandEntry kListCommand;
extern const CommandEntry kConfigCommand;

}  // namespace flashloom
