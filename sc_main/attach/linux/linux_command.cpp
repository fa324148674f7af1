#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/config/fronts.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/attach/linux/guest.hpp"
#include "sc_main/attach/linux/guest_drive.hpp"
#include "sc_main/attach/linux/linux_options.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/run_answers.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kInterrupted = 128 + SIGINT;
constexpr const char* kConsole = "console.log";
constexpr const char* kOutput = "output.log";
constexpr const char* kGuestFolder = "guest";
constexpr const char* kAnswers = "answers.json";

volatile std::sig_atomic_t plug_pulled = 0;

/// Turns SIGINT and SIGTERM into a request to stop the machine.
class PlugWatch {
 public:
  PlugWatch() {
    plug_pulled = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { plug_pulled = 1; };  // without SA_RESTART: a poll() ends
    ::sigaction(SIGINT, &action, &previous_[0]);
    ::sigaction(SIGTERM, &action, &previous_[1]);
  }
  ~PlugWatch() {
    ::sigaction(SIGINT, &previous_[0], nullptr);
    ::sigaction(SIGTERM, &previous_[1], nullptr);
  }
  PlugWatch(const PlugWatch&) = delete;
  PlugWatch& operator=(const PlugWatch&) = delete;

 private:
  std::array<struct sigaction, 2> previous_{};
};

/// Takes a terminal back from the guest, which has become its foreground and changed it to raw mode. Its descriptors,
/// which the guest has made non-blocking, are those of the shell.
class TerminalKeeper {
 public:
  TerminalKeeper() {
    ::tcgetattr(STDIN_FILENO, &settings_);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO}) flags_.at(descriptor) = ::fcntl(descriptor, F_GETFL);
  }
  ~TerminalKeeper() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO})
      if (flags_.at(descriptor) >= 0) ::fcntl(descriptor, F_SETFL, flags_.at(descriptor));
    const auto previous = ::signal(SIGTTOU, SIG_IGN);  // it would stop this program, which is in the background now
    ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &settings_);
    ::signal(SIGTTOU, previous);
  }
  TerminalKeeper(const TerminalKeeper&) = delete;
  TerminalKeeper& operator=(const TerminalKeeper&) = delete;

 private:
  termios settings_{};
  std::array<int, 2> flags_{};
};

// Stops this program, as reading would, until it is in the foreground of its terminal.
void wait_for_foreground() {
  if (const pid_t front = ::tcgetpgrp(STDIN_FILENO); front > 0 && front != ::getpgrp()) ::kill(0, SIGTTIN);
}

/// A drive with its configuration, state and recordings.
struct Drive {
  Drive(const LinuxOptions& options, std::size_t number)
      : name("nvme" + std::to_string(number)),
        config(load_device(options.devices[number], options.overrides, options.seed, options.state, state_note)) {
    require_front(config, Front::Linux);
    // Drives need distinct serial numbers, else Linux takes them for one drive.
    if (number != 0) config.device.nvme.serial += fmt::format("-{}", number);
    config.device.verify = true;  // in the drive, the oracle's tokens represent the bytes
  }

  std::string name;
  std::string state_note;
  LoadedConfig config;
  std::unique_ptr<RunAnswers> answers;
  std::unique_ptr<NamedGuestDrive> named;
  std::unique_ptr<GuestDrive> alone;
  PreconditionResult precondition;
  Json seen_by_guest;

  GuestDrive& drive() { return named != nullptr ? named->drive : *alone; }
  Simulation& simulation() { return drive().simulation(); }
};

/// Counters of the guest's block layer (Linux, Documentation/block/stat.rst).
Json parse_statistics(std::istringstream& numbers) {
  constexpr std::array kNames = {"reads",         "reads_merged",  "read_sectors",    "read_ms",         "writes",
                                 "writes_merged", "write_sectors", "write_ms",        "in_flight",       "io_ms",
                                 "queue_ms",      "discards",      "discards_merged", "discard_sectors", "discard_ms",
                                 "flushes",       "flush_ms"};
  Json statistics;
  std::uint64_t number = 0;
  for (const char* const name : kNames)
    if (numbers >> number) statistics[name] = number;
  return statistics;
}

// The contents of /out/answers.json, if the script wrote it; else null. Throws GuestFailure if it is no JSON.
Json answers_of_guest(const std::string& out) {
  const fs::path file = fs::path(out) / kGuestFolder / kAnswers;
  if (out.empty() || !fs::exists(file)) return nullptr;
  std::ifstream in(file);
  Json answers = Json::parse(in, nullptr, false);
  if (answers.is_discarded()) throw GuestFailure("the guest's /out/" + std::string(kAnswers) + " is no JSON");
  return answers;
}

class LinuxRun {
 public:
  explicit LinuxRun(const LinuxOptions& options) : options_(options), kernel_(find_kernel(options.kernel)) {
    for (std::size_t i = 0; i < options.devices.size(); ++i) drives_.push_back(std::make_unique<Drive>(options, i));
    if (options.script.empty() && ::isatty(STDIN_FILENO) == 0)
      throw UsageError("--shell: standard input is no terminal; say --run SCRIPT");
    workload_.kind = "linux";
    workload_.file = options.script.empty() ? "shell" : fs::path(options.script).filename().string();
    workload_.hash = options.script.empty() ? "" : content_hash_of_file(options.script);
    workload_.inputs.push_back({"linux", content_hash_of_file(kernel_)});
  }

  int run(std::ostream& out) {
    make_folders();
    make_machine();
    {
      std::optional<TerminalKeeper> terminal;
      if (options_.script.empty()) {
        wait_for_foreground();
        terminal.emplace();
      }
      const PlugWatch watch;
      CostMeter meter;
      meter.begin();
      simulate(options_.json ? std::cerr : out);
      meter.end(cost_);
    }
    return finish(out);
  }

 private:
  std::string folder_of(const Drive& drive) const {
    return drives_.size() == 1 || options_.out.empty() ? options_.out : (fs::path(options_.out) / drive.name).string();
  }

  void make_folders() {
    for (const auto& drive : drives_)
      drive->answers = std::make_unique<RunAnswers>(AnswerOptions{.out = folder_of(*drive),
                                                                  .io_log = options_.io_log,
                                                                  .pictures = options_.pictures,
                                                                  .json = options_.json,
                                                                  .quiet = options_.quiet});
    if (options_.out.empty()) return;
    fs::create_directories(fs::path(options_.out) / kGuestFolder);
    output_.open(fs::path(options_.out) / kOutput);
  }

  void make_machine() {
    Guest::Settings settings{.kernel = kernel_,
                             .memory = options_.memory,
                             .seed = drives_.front()->config.device.seed,
                             .watchdog_s = static_cast<double>(options_.watchdog_s),
                             .busy_call_ns = options_.busy_call_ns};
    if (!options_.out.empty()) {
      settings.out = (fs::path(options_.out) / kGuestFolder).string();
      settings.console = (fs::path(options_.out) / kConsole).string();
    }
    guest_ = std::make_unique<Guest>(settings, drives_.size());
    for (std::size_t i = 0; i < drives_.size(); ++i) {
      Drive& drive = *drives_[i];
      const DeviceConfig& config = drive.config.device;
      if (drives_.size() == 1)
        drive.alone = std::make_unique<GuestDrive>(config, guest_->slot(i));
      else
        drive.named = std::make_unique<NamedGuestDrive>(("drive" + std::to_string(i)).c_str(), config, guest_->slot(i));
      drive.answers->record(drive.simulation(), {drive.name});
      const double before = CostMeter::cpu_seconds();
      const auto state = options_.state.empty() ? nullptr : std::make_unique<StateReader>(options_.state);
      drive.precondition = begin_state(drive.simulation(), state.get(), {});
      cost_.precondition_cpu_s += CostMeter::cpu_seconds() - before;
    }
  }

  void simulate(std::ostream& out) {
    GuestMachine& machine = guest_->machine();
    machine.on_output([&](std::string_view text) {
      out << text << std::flush;
      if (output_.is_open()) output_ << text << std::flush;
    });
    guest_->on_report([this](std::string_view line) { hear(line); });
    machine.stop_when([] { return plug_pulled != 0; });
    machine.on_end([this] {
      ended_at_ = kernel_now();
      for (const auto& drive : drives_) drive->simulation().host().end_front(0);
    });
    guest_->boot(command_line());
    std::size_t running = drives_.size();
    for (const auto& drive : drives_) {
      std::vector<HostJob> jobs;
      jobs.push_back(drive->drive().nvme().job());
      jobs.front().name = drive->name;
      drive->simulation().start(std::move(jobs), [&running] {
        if (--running == 0) TimeLoop::pause();
      });
    }
    drives_.front()->simulation().proceed();
    if (machine.failure()) std::rethrow_exception(machine.failure());
    for (const auto& drive : drives_) drive->simulation().finish();
  }

  // Command line of /bin/sh with the script and its arguments; empty: a shell.
  std::string command_line() const {
    if (options_.script.empty()) return "";
    std::string line = "exec /bin/sh " + shell_word(fs::absolute(options_.script).string());
    for (const std::string& argument : options_.arguments) line += " " + shell_word(argument);
    return line;
  }

  // Handles a line from the guest: "measure" from the script, "stat nvme0n1 ..." from its first process.
  void hear(std::string_view line) {
    if (line == "measure")
      for (const auto& drive : drives_) drive->simulation().measure_front(0);
    std::istringstream words{std::string(line)};
    std::string what;
    std::string name;
    if (!(words >> what >> name) || what != "stat") return;
    for (const auto& drive : drives_)
      if (name.starts_with(drive->name + "n")) drive->seen_by_guest[name] = parse_statistics(words);
  }

  int finish(std::ostream& out) {
    const GuestMachine& machine = guest_->machine();
    const std::string last_words = machine.stopped() ? "" : guest_->last_words();
    const Json guest_answers = answers_of_guest(options_.out);
    for (const auto& drive : drives_) {
      RunAnswers& answers = *drive->answers;
      answers.take(drive->config, workload_, drive->precondition);
      Json& guest = answers.result()["guest"];
      guest["exit_code"] = guest_->exit_code() ? Json(*guest_->exit_code()) : Json();
      guest["stopped"] = machine.stopped();
      guest["end_s"] = static_cast<double>(ended_at_) / 1e12;
      guest["turns"] = machine.statistics().turns;
      guest["calls"] = machine.statistics().kicks;
      guest["interrupts"] = machine.statistics().interrupts;
      guest["drives"] = drive->seen_by_guest;
      guest["answers"] = guest_answers;
      answers.audit();
      answers.write(cost_, options_.state);
      answers.print(out, drive->state_note);
    }
    for (const auto& drive : drives_) drive->answers->require_verified();
    if (machine.stopped()) return kInterrupted;
    if (!guest_->exit_code()) throw GuestFailure("the guest ended before its script did: " + last_words);
    return *guest_->exit_code();
  }

  const LinuxOptions& options_;
  std::string kernel_;
  std::vector<std::unique_ptr<Drive>> drives_;
  Workload workload_;
  std::unique_ptr<Guest> guest_;
  std::ofstream output_;
  RunCost cost_;
  Picoseconds ended_at_ = 0;
};

int linux_command(const LinuxOptions& options, std::ostream& out) { return LinuxRun(options).run(out); }

const RegisterComponent attach("attach");
const RegisterCommand registered_linux(kLinuxCommand, linux_command, Signals::OfCommand);

}  // namespace
}  // namespace flashloom
