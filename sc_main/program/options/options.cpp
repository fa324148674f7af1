#include "sc_main/program/options/options.hpp"

#include "policies/nearest.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/program/options/command_table.hpp"
#include "sc_main/program/options/help_options.hpp"

namespace flashloom {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// "`flashloom run --help`"
std::string help_of(const Command& command) { return "`" + full_name(*command.entry) + " --help`"; }

/// Refuses the arguments that CLI11 could not assign: mistyped options and commands, surplus arguments.
void refuse_extras(const Command& command) {
  const std::vector<std::string> extras = command.app->remaining();
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra.front() != '-') continue;
    const std::string name = extra.substr(0, extra.find('='));
    const std::vector<std::string> valid = option_names(*command.app);
    throw UsageError("unknown option " + name + " of `" + full_name(*command.entry) + "`" + did_you_mean(name, valid) +
                     "; valid: " + join_nearest(name, valid, help_of(command)));
  }
  if (!extras.empty())
    throw UsageError("unexpected argument \"" + extras.front() + "\"; " + help_of(command) + " says what it takes");
}

/// Refuses a group, or the program itself, without a command.
[[noreturn]] void refuse_group(const CommandTree& tree, const Command& group) {
  const std::vector<std::string> commands = tree.names(group.entry->name);
  const std::vector<std::string> extras = group.app->remaining();
  if (!extras.empty() && !extras.front().starts_with('-')) {
    throw UsageError("unknown command \"" + extras.front() + "\"" + did_you_mean(extras.front(), commands) +
                     "; valid: " + join_names(commands) + note_of_components());
  }
  refuse_extras(group);
  throw UsageError("no command given; valid: " + join_names(commands) + "; " + help_of(group) + " says more");
}

}  // namespace

ParsedCommand parse_command_line(const std::vector<std::string>& arguments) {
  for (const CommandBinding* hidden : command_table())
    if (hidden->entry->take != nullptr && !arguments.empty() && arguments.front() == hidden->entry->name)
      return {hidden, hidden->entry->take({arguments.begin() + 1, arguments.end()})};
  CommandTree tree;
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants a vector
  try {
    tree.program().parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {nullptr, InformationText{tree.program().help()}};  // the help of the command that was named, if any
  } catch (const CLI::CallForVersion& version) {
    return {nullptr, InformationText{std::string(version.what()) + "\n"}};
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  const Command* given = &tree.commands().front();
  for (const Command& command : tree.commands())
    if (command.app->parsed()) given = &command;  // a group precedes its commands, so the last one counts
  if (!given->check) refuse_group(tree, *given);
  refuse_extras(*given);
  return {given->binding, given->check()};
}

}  // namespace flashloom
