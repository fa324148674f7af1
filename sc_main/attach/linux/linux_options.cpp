#include "sc_main/attach/linux/linux_options.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kLinuxDescription = R"(
Boots a Linux (User-Mode Linux, built once with tools/linux-kernel/build) whose NVMe drives are modelled and
whose time is the simulation's. It sees the files of this machine, read-only under an overlay in memory, so that fio,
mkfs, sqlite3 and nvme-cli of this machine run unchanged; what it writes to /out is in DIR/guest. SCRIPT is run by /bin/sh
as root; what it prints is printed. The exit code is the script's, or 1 if the guest failed. docs/how-to/linux.md says more.)";

constexpr const char* kLinuxExamples = R"(
  flashloom linux tiny --shell
  flashloom linux nvme-tlc-1tb --run script.sh --out results
  flashloom linux tiny cosmos-openssd --run raid.sh           two drives: /dev/nvme0n1 and /dev/nvme1n1)";

constexpr std::uint64_t kLeastMemory = std::uint64_t{64} << 20;  // bytes; the kernel needs as much
constexpr std::uint64_t kMostMemory = std::uint64_t{2} << 30;    // bytes; more would need high memory
constexpr std::uint64_t kMostBusyCall = 1'000'000;               // ns
constexpr std::size_t kMostDrives = 8;                           // PCI slots of User-Mode Linux

/// The same options as CLI11 collects them, unchecked.
struct RawLinuxOptions {
  LinuxOptions linux;
  std::string memory, watchdog, busy_call, seed;
  bool shell = false;
  RawPictureOptions pictures;
};

void add_linux(CLI::App& command, RawLinuxOptions& raw) {
  LinuxOptions& linux = raw.linux;
  command.add_option("device", linux.devices, "device file, or name of a preset; several: several drives")
      ->type_name("DEVICE.toml")
      ->required();
  command.add_option("--run", linux.script, "script for the guest's /bin/sh")->type_name("SCRIPT");
  command.add_option("--argument", linux.arguments, "of the script: its $1; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command.add_flag("--shell", raw.shell, "a shell on this terminal in place of a script");
  command
      .add_option("--kernel", linux.kernel,
                  "User-Mode Linux; default: $FLASHLOOM_LINUX, or what tools/linux-kernel "
                  "has built")
      ->type_name("K");
  command.add_option("--memory", raw.memory, "of the guest; default: 256 MiB")->type_name("SIZE");
  command
      .add_option("--watchdog", raw.watchdog,
                  "wall time for which the guest may compute while simulated time stands; default: 60")
      ->type_name("SECONDS");
  command
      .add_option(
          "--busy-call", raw.busy_call,
          "simulated time of a system call when the guest has made 10,000 without a pause; default: 100; 0: none")
      ->type_name("NANOSECONDS");
  add_overrides(command, linux.overrides);
  command.add_option("--seed", raw.seed, "seed of every random choice, the guest's too; default: the device file's")
      ->type_name("N");
  command.add_option("--state", linux.state, "begin from a state that `flashloom precondition` wrote")
      ->type_name("F.state");
  command
      .add_option("--out", linux.out, "folder for result.json, tables, console.log and what the guest writes to /out")
      ->type_name("DIR");
  command.add_option("--io-log", linux.io_log, "write every command into DIR: binary (io_log.bin), csv or both")
      ->type_name("binary|csv|both");
  add_picture_options(command, raw.pictures);
  command.add_flag("--quiet", linux.quiet, "no summary");
  command.add_flag("--json", linux.json, "of one drive: print the result as JSON; the guest's console goes to stderr");
}

LinuxOptions checked_linux(const CLI::App& app, const RawLinuxOptions& raw) {
  LinuxOptions linux = raw.linux;
  if (linux.script.empty() != raw.shell)
    throw UsageError(raw.shell ? "--shell: does not go together with --run" : "linux: say --run SCRIPT or --shell");
  if (!linux.script.empty() && !std::filesystem::is_regular_file(linux.script))
    throw UsageError("--run: " + linux.script + " is no file");
  if (linux.devices.size() > kMostDrives)
    throw UsageError("linux: " + std::to_string(linux.devices.size()) + " drives; valid: 1 .. " +
                     std::to_string(kMostDrives));
  if (!raw.memory.empty()) linux.memory = parse_byte_count("--memory", raw.memory, kLeastMemory, kMostMemory);
  if (!raw.watchdog.empty()) linux.watchdog_s = parse_count("--watchdog", raw.watchdog, 1);
  if (!raw.busy_call.empty()) {
    linux.busy_call_ns = parse_count("--busy-call", raw.busy_call, 0);
    if (*linux.busy_call_ns > kMostBusyCall)
      throw UsageError("--busy-call: " + raw.busy_call + "; valid: 0 .. " + std::to_string(kMostBusyCall));
  }
  if (!raw.seed.empty()) linux.seed = parse_count("--seed", raw.seed, 0);
  linux.pictures = checked_pictures(app, raw.pictures, linux.out);
  check_io_log(linux.io_log, linux.out);
  if (linux.devices.size() > 1) {
    if (linux.json) throw UsageError("--json: is of one drive");
    if (!linux.state.empty()) throw UsageError("--state: is of one drive");
    if (linux.pictures.any()) throw UsageError("linux: --plots, --vcd, --timeline and --power are of one drive");
  }
  return linux;
}

}  // namespace

constinit const CommandEntry kLinuxCommand{.name = "linux",
                                           .place = 130,
                                           .summary = "Boot a Linux machine on modelled drives, in simulated time",
                                           .description = kLinuxDescription,
                                           .examples = kLinuxExamples,
                                           .add = &add_command<RawLinuxOptions, add_linux, checked_linux>};

}  // namespace flashloom
