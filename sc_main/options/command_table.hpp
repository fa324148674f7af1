// All commands of the program, each with its options: what parsing, --help, man pages and completion go by.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sc_main/options/command_entry.hpp"

namespace flashloom {

/// The commands, in the order of --help; a group stands before its own.
const std::vector<const CommandEntry*>& command_table();

/// "flashloom run"; "flashloom" of the program itself.
std::string full_name(const CommandEntry& entry);

struct Command {
  const CommandEntry* entry;
  CLI::App* app;       ///< its options
  CheckOptions check;  ///< none: a group
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
  /// That of a name, as "trace info"; none: there is no such command.
  const Command* find(const std::string& name) const;
  /// What the words after a command (of the group `group`, or of the program) may be.
  std::vector<std::string> names(const std::string& group = "") const;

 private:
  CLI::App app_;
  std::vector<std::string> plugins_;  ///< both are taken out before: take_program_options()
  bool verbose_ = false;
  std::vector<Command> commands_;
};

}  // namespace flashloom
