#include "sc_main/attach/linux/guest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/program_files.hpp"
#include "sc_main/program/run/result_folder.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

// The guest's clock at the start, Thu, 1 Jan 2026: a constant, so that runs are reproducible.
constexpr std::uint64_t kTimeOfDay = 1'767'225'600'000'000'000;
constexpr int kPciDevice = 1234;  // CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID of tools/linux-kernel
constexpr int kPipeBytes = 1 << 20;
constexpr const char* kInit = "flashloom-guest-init";
constexpr const char* kEntropy = "flashloom-guest-entropy.so";
constexpr const char* kScript = "script";  // these two names are also in tools/linux-guest/init.cpp
constexpr const char* kOut = "out";
constexpr const char* kCalendar = "time";  // socket names: short, and constant since the kernel prints them

std::string drive_socket(std::size_t number) { return "drive" + std::to_string(number); }

// A pipe large enough that its writer never blocks: the guest's serial lines do not wait for a reader.
std::pair<FileDescriptor, FileDescriptor> wide_pipe() {
  auto ends = make_pipe();
  ::fcntl(ends.first.number(), F_SETPIPE_SZ, kPipeBytes);
  return ends;
}

std::vector<PciSlot*> pointers(const std::vector<std::unique_ptr<PciSlot>>& slots) {
  std::vector<PciSlot*> all;
  for (const auto& slot : slots) all.push_back(slot.get());
  return all;
}

std::vector<std::unique_ptr<PciSlot>> make_slots(std::size_t drives) {
  std::vector<std::unique_ptr<PciSlot>> slots;
  for (std::size_t i = 0; i < drives; ++i) slots.push_back(std::make_unique<PciSlot>(fmt::format("slot{}", i).c_str()));
  return slots;
}

}  // namespace

Guest::Guest(Settings settings, std::size_t drives)
    : settings_(std::move(settings)), slots_(make_slots(drives)), machine_(pointers(slots_), settings_.watchdog_s) {
  machine_.on_report([this](std::string_view line) { hear(line); });
}

Guest::~Guest() = default;

// The command line is the same in each run, since the kernel also derives entropy from it.
std::vector<std::string> Guest::kernel_arguments() const {
  std::vector<std::string> arguments = {fmt::format("mem={}", settings_.memory),
                                        "root=/dev/root",
                                        "rootfstype=hostfs",
                                        "rootflags=/",
                                        "ro",
                                        fmt::format("init=/proc/self/cwd/{}", kInit),
                                        "umid=guest",
                                        "norandmaps",
                                        "panic=-1",
                                        fmt::format("time-travel=ext:{}", kCalendar),
                                        "con=null",
                                        "con0=fd:0,fd:1",
                                        "ssl=null",
                                        "ssl0=null,fd:3",
                                        "ssl1=null,fd:4"};
  if (settings_.busy_call_ns) arguments.push_back(fmt::format("busy-call-ns={}", *settings_.busy_call_ns));
  for (std::size_t i = 0; i < slots_.size(); ++i)
    arguments.push_back(fmt::format("virtio_uml.device={}:{}", drive_socket(i), kPciDevice));
  return arguments;
}

void Guest::switch_off() {
  process_.reset();
  calendar_.reset();
  folder_.reset();
}

void Guest::boot(const std::string& command) {
  switch_off();
  folder_ = std::make_unique<TemporaryFolder>("flashloom-");
  exit_code_.reset();
  error_.clear();
  const auto in_folder = [this](const std::string& name) { return (fs::path(folder_->path()) / name).string(); };
  const bool shell = command.empty();
  if (!shell) write_whole(in_folder(kScript), command + "\n");
  if (!settings_.out.empty()) fs::create_symlink(fs::absolute(settings_.out), in_folder(kOut));
  fs::create_symlink(beside_program(kInit), in_folder(kInit));
  calendar_ = std::make_unique<Calendar>(in_folder(kCalendar), kTimeOfDay, kernel_now() / 1000);
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i]->listen_at(in_folder(drive_socket(i)));
  auto [reports, reports_in] = wide_pipe();
  auto [output, output_in] = wide_pipe();
  // With a console file, all boots write to one log.
  if (settings_.console.empty() || !console_) {
    console_path_ = settings_.console.empty() ? in_folder("console") : settings_.console;
    console_ = FileDescriptor(::open(console_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!console_) throw std::system_error(errno, std::generic_category(), console_path_);
  }
  process_ = std::make_unique<GuestProcess>(GuestCommand{.kernel = settings_.kernel,
                                                         .arguments = kernel_arguments(),
                                                         .directory = folder_->path(),
                                                         .memory = settings_.memory,
                                                         .preload = beside_program(kEntropy),
                                                         .input = shell ? STDIN_FILENO : -1,
                                                         .output = shell ? STDOUT_FILENO : console_.number(),
                                                         .pipes = {reports_in.number(), output_in.number()},
                                                         .entropy_seed = settings_.seed});
  machine_.expect_input(shell ? STDIN_FILENO : -1);
  machine_.start(*calendar_, *process_, std::move(reports), std::move(output));
}

void Guest::hear(std::string_view line) {
  constexpr std::string_view kExit = "exit ";
  constexpr std::string_view kError = "error ";
  int code = 0;
  if (line.starts_with(kExit) &&
      std::from_chars(line.data() + kExit.size(), line.data() + line.size(), code).ec == std::errc{})
    exit_code_ = code;
  else if (line.starts_with(kError))
    error_ = line.substr(kError.size());
  else if (on_report_)
    on_report_(line);
}

std::string Guest::last_words() const {
  if (!error_.empty()) return error_;
  if (exit_code_) return "";
  std::string last;
  std::ifstream console(console_path_);
  for (std::string line; std::getline(console, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.find("panic") != std::string::npos) return line;
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : last;
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  word += '\'';
  return word;
}

std::string find_kernel(const std::string& given) {
  const auto usable = [](const fs::path& path) {
    return ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path);
  };
  if (!given.empty()) {
    if (!usable(given)) throw UsageError("--kernel: " + given + " is no program");
    return fs::absolute(given).string();
  }
  if (const char* const named = std::getenv("FLASHLOOM_LINUX"); named != nullptr && *named != '\0') {
    if (!usable(named)) throw UsageError(std::string("$FLASHLOOM_LINUX: ") + named + " is no program");
    return fs::absolute(named).string();
  }
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const fs::path folder = fs::path(cache != nullptr && *cache != '\0' ? cache
                                   : home != nullptr                  ? std::string(home) + "/.cache"
                                                                      : std::string("/root/.cache")) /
                          "flashloom" / "linux";
  std::error_code none;
  const fs::path newest = fs::read_symlink(folder / "newest", none);
  if (!none && usable(folder / newest)) return (folder / newest).string();
  throw UsageError(
      "no Linux kernel: build one with tools/linux-kernel/build (some minutes, once), or name one with "
      "--kernel or $FLASHLOOM_LINUX");
}

}  // namespace flashloom
