// A row of the table of commands: name, help texts, options and their check. Each row is defined with the command's
// options; RegisterCommand, beside what carries the command out, puts it into the table.
#pragma once

#include <CLI/CLI.hpp>
#include <any>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace flashloom {

/// Checks the options that CLI11 has collected, and returns them: RunOptions, ListOptions, ... Throws UsageError.
using CheckOptions = std::function<std::any()>;

struct CommandEntry {
  const char* name;                          ///< "run"; "trace info" is in the group "trace", an earlier row
  int place;                                 ///< its order in --help
  const char* summary;                       ///< one line
  const char* description = "";              ///< paragraphs, wrapped at 120
  const char* examples = "";                 ///< shell commands, indented by two spaces; explanations are indented more
  CheckOptions (*add)(CLI::App&) = nullptr;  ///< adds the options; none: a group of commands
  /// Of a hidden command, which scripts call: makes its options of all words behind its name.
  std::any (*take)(const std::vector<std::string>&) = nullptr;
};

/// `add` of a row whose options CLI11 collects in a Raw, which lives as long as the parser.
template <class Raw, void (*add)(CLI::App&, Raw&), auto check>
CheckOptions add_command(CLI::App& command) {
  const auto raw = std::make_shared<Raw>();
  add(command, *raw);
  if constexpr (std::invocable<decltype(check), const CLI::App&, const Raw&>)
    return [raw, &command]() -> std::any { return check(command, *raw); };
  else
    return [raw]() -> std::any { return check(*raw); };
}

/// Who notes SIGINT and SIGTERM (InterruptWatch) while a command runs: the program, or the command itself.
enum class Signals : std::uint8_t { Watched, OfCommand };

/// What carries a command out; `run` returns the exit code of the program. Bad input is thrown as ConfigError,
/// WorkloadError, StateError, UnknownPart, PluginError or UsageError, which becomes a message and exit code 2.
struct CommandBinding {
  const CommandEntry* entry;
  std::function<int(const std::any&, std::ostream&)> run;  ///< none: a group, or `help`, whose options are a text
  Signals signals = Signals::Watched;
};

/// A static object that puts a command into the table.
struct RegisterCommand {
  explicit RegisterCommand(const CommandEntry& entry);
  template <class Options>
  RegisterCommand(const CommandEntry& entry, int (*run)(const Options&, std::ostream&),
                  Signals signals = Signals::Watched)
      : RegisterCommand(CommandBinding{&entry,
                                       [run](const std::any& options, std::ostream& out) {
                                         return run(std::any_cast<const Options&>(options), out);
                                       },
                                       signals}) {}

 private:
  explicit RegisterCommand(CommandBinding binding);
};

}  // namespace flashloom
