#include "sc_main/program/options/command_table.hpp"

#include <algorithm>
#include <deque>
#include <sstream>

#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

constexpr const char* kProgramDescription = R"(
`flashloom help COMMAND` says more. Exit codes: 0 done, 1 the run failed, 2 bad input.)";

constexpr const char* kProgramExamples = R"(
  flashloom list                                    what there is: presets, policies, trace formats
  flashloom run tiny --job job.fio                  a preset under a fio job
  flashloom run device.toml --trace t.csv.gz --address-fit wrap --out results
  flashloom run tiny --job job.fio --set nand.channels=4 --set nand.read_time="25 us"
  flashloom precondition tiny --set precondition.fill=1 --state full.state
  flashloom run tiny --job job.fio --state full.state
                                                    precondition once, measure often
  flashloom endurance tiny --set nand.endurance=100 --generate "mix:read=0 %,random=100 %"
                                                    write until the device is worn out
  flashloom config tiny > mine.toml                 a device file with every key, to edit
  flashloom run device.toml --trace a.csv,size=8GiB --trace b.csv,size=8GiB
                                                    two traces, each on its part of the device
  flashloom trace info t.csv.gz                     what a trace is made of
  flashloom cache t.csv.gz --policy lru,arc --size 1%,10%
                                                    hit ratios and pages written of caches, without a simulation
  flashloom cold t.csv.gz --delta 4,16,64 --buffer 16MiB
                                                    how much of what is updated is correlated, without a simulation
  flashloom compare a b --html compare.html         results of runs side by side, and a page with figures
  flashloom fit fit.toml                            keys of a device from measurements of a drive
  flashloom datasheet tiny --out sheet              what a data sheet would say of the device
  flashloom import mqsim ssdconfig.xml              a device file of another simulator's configuration
  flashloom linux tiny --run script.sh              a real Linux with the modelled drive as /dev/nvme0n1
  flashloom nbd tiny --unix drive.sock              the modelled drive for qemu, fio, nbdcopy, with real bytes
  flashloom vfio-user tiny --socket drive.sock      the modelled drive as a PCI device of a virtual machine
  flashloom workload job.fio --device-size 1GiB     the requests of a fio job file, without a simulation)";

constinit const CommandEntry kProgram{.name = "",
                                      .place = 0,
                                      .summary = "Flashloom: a cycle-approximate model of whole SSDs",
                                      .description = kProgramDescription,
                                      .examples = kProgramExamples};

std::deque<CommandBinding>& registered() {
  static std::deque<CommandBinding> commands;
  return commands;
}

}  // namespace

RegisterCommand::RegisterCommand(const CommandEntry& entry) : RegisterCommand(CommandBinding{&entry, {}}) {}

RegisterCommand::RegisterCommand(CommandBinding binding) { registered().push_back(std::move(binding)); }

std::vector<const CommandBinding*> command_table() {
  std::vector<const CommandBinding*> table;
  for (const CommandBinding& binding : registered()) table.push_back(&binding);
  std::ranges::sort(table, {}, [](const CommandBinding* binding) { return binding->entry->place; });
  return table;
}

std::string full_name(const CommandEntry& entry) {
  return std::string("flashloom") + (*entry.name == '\0' ? "" : " ") + entry.name;
}

CommandTree::CommandTree() : app_(kProgram.summary, "flashloom") {
  app_.add_option("--plugin", plugins_,
                  "shared object with parts of yours (docs/how-to/embedding.md); may be repeated; anywhere")
      ->type_name("FILE.so");
  app_.add_flag("--verbose", verbose_, "tell which files are read and how they are understood, on stderr; anywhere");
  app_.set_version_flag("--version", std::string("flashloom ") + flashloom_version() + components_left_out());
  commands_.push_back({&kProgram, nullptr, &app_, nullptr});
  for (const CommandBinding* binding : command_table()) {
    const CommandEntry* const entry = binding->entry;
    if (entry->take != nullptr) continue;
    const std::string name = entry->name;
    const std::size_t space = name.find(' ');
    CLI::App* const group = space == std::string::npos ? &app_ : app_.get_subcommand(name.substr(0, space));
    CLI::App* const command = group->add_subcommand(name.substr(space + 1), entry->summary);
    commands_.push_back({entry, binding, command, entry->add == nullptr ? nullptr : entry->add(*command)});
  }
  for (const Command& command : commands_) {
    const std::string description = command.entry->description;
    const std::string examples = command.binding == nullptr ? examples_of_commands() : command.entry->examples;
    command.app->footer(description + (examples.empty() ? "" : "\n\nExamples:" + examples));
    command.app->allow_extras();
    // Only one command per line, since its arguments may have the names of other commands (`list config`).
    if (!command.check) command.app->require_subcommand(0, 1);
  }
}

// The program's examples, without those of commands that it does not have.
std::string CommandTree::examples_of_commands() const {
  std::istringstream lines(kProgram.examples);
  std::string examples;
  bool kept = true;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string program, name;
    words >> program >> name;
    if (program == "flashloom") kept = find(name) != nullptr;
    if (kept) examples += (examples.empty() ? "" : "\n") + line;
  }
  return "\n" + examples;
}

const Command* CommandTree::find(const std::string& name) const {
  for (const Command& command : commands_)
    if (name == command.entry->name) return &command;
  return nullptr;
}

std::vector<std::string> CommandTree::names(const std::string& group) const {
  std::vector<std::string> names;
  for (const CLI::App* command : find(group)->app->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

}  // namespace flashloom
