#include "sc_main/program/options/help_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "policies/nearest.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/program/options/command_table.hpp"
#include "sc_main/program/options/man_page.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kHelpDescription = R"(
The same as `flashloom COMMAND --help`; without a command, `flashloom --help`. With --man a manual page, as `man` reads
it; a build has them all in its folder man/.)";

constexpr const char* kHelpExamples = R"(
  flashloom help trace convert
  flashloom help --man run | man -l -)";

constexpr const char* kVersionDescription = R"(
With --json also what the program was built with: compiler, C++ standard, SystemC, type and options of the build, and the
schemas that it writes. Two builds of the same sources by the same tools say the same.)";

constexpr const char* kVersionExamples = R"(
  flashloom version --json)";

constexpr const char* kCompletionDescription = R"(
Prints a script for the shell, which completes commands, options and their values, presets, files, and keys and values
of --set. It asks the program that is typed, so it is never out of date.)";

constexpr const char* kCompletionExamples = R"(
  source <(flashloom completion bash)                        for this shell; or write it into the folder of
                                                             bash-completion: ~/.local/share/bash-completion/completions
  flashloom completion zsh > ~/.zfunc/_flashloom             a folder of $fpath
  flashloom completion fish > ~/.config/fish/completions/flashloom.fish)";

struct RawHelpOptions {
  std::vector<std::string> command;
  std::string folder;
  bool man = false;
};

void add_help(CLI::App& command, RawHelpOptions& raw) {
  command.add_option("command", raw.command, "the command, as run or trace info")->type_name("TOPIC");
  command.add_flag("--man", raw.man, "a manual page");
  command.add_option("--out", raw.folder, "with --man: every page, into a folder")->type_name("DIR")->check(named_path);
}

InformationText checked_help(const RawHelpOptions& raw) {
  CommandTree tree;
  if (!raw.folder.empty()) {
    if (!raw.man || !raw.command.empty()) throw UsageError("--out: goes with --man alone, and writes every page");
    write_man_pages(tree, raw.folder);
    return {};
  }
  const Command* found = &tree.commands().front();
  for (const std::string& word : raw.command) {
    const std::string group = found->entry->name;
    const Command* const next = tree.find(group.empty() ? word : group + " " + word);
    if (next == nullptr) {
      const std::vector<std::string> names = tree.names(group);
      throw UsageError(
          "help: unknown command \"" + word + "\"" + did_you_mean(word, names) +
          (names.empty() ? "; `" + full_name(*found->entry) + "` has none" : "; valid: " + join_names(names)) +
          note_of_components());
    }
    found = next;
  }
  return {raw.man ? man_page(tree, *found) : help_text(*found)};
}

void add_version(CLI::App& command, VersionOptions& version) {
  command.add_flag("--json", version.json, "machine-readable, and more of it");
}

VersionOptions checked_version(const VersionOptions& version) { return version; }

void add_completion(CLI::App& command, CompletionOptions& completion) {
  command.add_option("shell", completion.shell, "whose script")->type_name("bash|zsh|fish")->required();
}

CompletionOptions checked_completion(const CompletionOptions& completion) {
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  if (std::find(shells.begin(), shells.end(), completion.shell) == shells.end())
    throw UsageError("completion: unknown shell \"" + completion.shell + "\"" + did_you_mean(completion.shell, shells) +
                     "; valid: " + join_names(shells));
  return completion;
}

}  // namespace

constinit const CommandEntry kHelpCommand{.name = "help",
                                          .place = 150,
                                          .summary = "Say more of a command",
                                          .description = kHelpDescription,
                                          .examples = kHelpExamples,
                                          .add = &add_command<RawHelpOptions, add_help, checked_help>};

constinit const CommandEntry kVersionCommand{.name = "version",
                                             .place = 160,
                                             .summary = "Print the version, and what the program was built with",
                                             .description = kVersionDescription,
                                             .examples = kVersionExamples,
                                             .add = &add_command<VersionOptions, add_version, checked_version>};

constinit const CommandEntry kCompletionCommand{
    .name = "completion",
    .place = 170,
    .summary = "Print the script by which a shell completes command lines",
    .description = kCompletionDescription,
    .examples = kCompletionExamples,
    .add = &add_command<CompletionOptions, add_completion, checked_completion>};

constinit const CommandEntry kCompleteCommand{
    .name = "__complete", .place = 180, .summary = "", .take = [](const std::vector<std::string>& words) -> std::any {
      return CompleteOptions{words};
    }};

constinit const CommandEntry kCheckCommand{
    .name = "__check", .place = 190, .summary = "", .take = [](const std::vector<std::string>&) -> std::any {
      return CheckDevicesOptions{};
    }};

}  // namespace flashloom
