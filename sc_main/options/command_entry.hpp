// A row of the table of commands: name, help texts, options and their check. Each row is defined with the command's
// options; command_table.cpp lists all rows.
#pragma once

#include <concepts>
#include <functional>
#include <memory>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// Checks the options that CLI11 has collected. Throws UsageError.
using CheckOptions = std::function<CommandOptions()>;

struct CommandEntry {
  const char* name;                          ///< "run"; "trace info" is in the group "trace", an earlier row
  const char* summary;                       ///< one line
  const char* description = "";              ///< paragraphs, wrapped at 120
  const char* examples = "";                 ///< shell commands, indented by two spaces; explanations are indented more
  CheckOptions (*add)(CLI::App&) = nullptr;  ///< adds the options; none: a group of commands
};

/// `add` of a row whose options CLI11 collects in a Raw, which lives as long as the parser.
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
