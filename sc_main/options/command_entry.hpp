// A row of the table of commands: what a command is called, says of itself, takes, and how that is checked. Each stands
// beside its options; command_table.cpp lists them all.
#pragma once

#include <concepts>
#include <functional>
#include <memory>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// Checks what CLI11 has collected. Throws UsageError.
using CheckOptions = std::function<CommandOptions()>;

struct CommandEntry {
  const char* name;                          ///< "run"; "trace info" is of group "trace", a row before it
  const char* summary;                       ///< one line
  const char* description = "";              ///< paragraphs, wrapped at 120
  const char* examples = "";                 ///< lines of shell, after two spaces; deeper ones say what it does
  CheckOptions (*add)(CLI::App&) = nullptr;  ///< adds the options; none: a group of commands
};

/// `add` of a row whose options CLI11 collects in a Raw, which lives as long as the command line.
template <class Raw, void (*add)(CLI::App&, Raw&), auto check>
CheckOptions add_command(CLI::App& command) {
  const auto raw = std::make_shared<Raw>();
  add(command, *raw);
  if constexpr (std::invocable<decltype(check), const CLI::App&, const Raw&>)
    return [raw, &command]() -> CommandOptions { return check(command, *raw); };
  else
    return [raw]() -> CommandOptions { return check(*raw); };
}

}  // namespace flashloom
