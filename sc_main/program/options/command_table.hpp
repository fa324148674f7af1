// All commands of the program with their options: used by the parser, --help, man pages and completion.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sc_main/program/options/command_entry.hpp"

namespace flashloom {

/// The commands of RegisterCommand in the order of --help; a group precedes its commands.
std::vector<const CommandBinding*> command_table();

/// "flashloom run"; "flashloom" for the program itself.
std::string full_name(const CommandEntry& entry);

struct Command {
  const CommandEntry* entry;
  const CommandBinding* binding;  ///< null: the program itself
  CLI::App* app;                  ///< its options
  CheckOptions check;             ///< none: a group
};

/// The program's options and its commands, for one command line.
class CommandTree {
 public:
  CommandTree();
  CommandTree(const CommandTree&) = delete;
  CommandTree& operator=(const CommandTree&) = delete;

  /// The program itself.
  CLI::App& program() { return *commands_.front().app; }
  /// The program first, then as in command_table().
  const std::vector<Command>& commands() const { return commands_; }
  /// The command with a name such as "trace info"; null if there is none.
  const Command* find(const std::string& name) const;
  /// Names of the commands of the group `group`, or of the program.
  std::vector<std::string> names(const std::string& group = "") const;

 private:
  std::string examples_of_commands() const;

  CLI::App app_;
  std::vector<std::string> plugins_;  ///< this and the next are for --help only: see take_program_options()
  bool verbose_ = false;
  std::vector<Command> commands_;
};

}  // namespace flashloom
