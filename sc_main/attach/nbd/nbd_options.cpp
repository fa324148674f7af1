#include "sc_main/attach/nbd/nbd_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kNbdDescription = R"(
Serves the modelled drive, with real bytes, as a network block device on a Unix socket (nbdkit speaks the protocol), for
fio's nbd engine, qemu, nbdcopy, nbdfuse, or the kernel's nbd client. Simulated time goes on while requests are in flight,
as fast as it can; with --pace it follows the clock on the wall. Ends with SIGINT, SIGTERM or COMMAND, then writes the
answers of a run into --out. With --state the drive is kept in DIR: nothing acknowledged is lost, even by kill -9.
docs/how-to/nbd.md says more.)";

constexpr const char* kNbdExamples = R"(
  flashloom nbd tiny --unix drive.sock --out results
  flashloom nbd nvme-tlc-1tb --run 'nbdcopy disk.img "$uri"' --state mydrive
  flashloom nbd tiny --pace 1000 --run 'fio --name=a --ioengine=nbd --uri="$uri" --rw=randread --runtime=10')";

constexpr std::uint64_t kLeastContents = std::uint64_t{1} << 20;  // bytes
constexpr std::uint64_t kMostContents = std::uint64_t{1} << 50;
constexpr double kMostPace = 1e9;

std::string not_empty(const std::string& path) { return path.empty() ? "is empty; say which" : ""; }

double parse_pace(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || !(value >= 1e-6 && value <= kMostPace))
    throw UsageError("--pace: \"" + text +
                     "\" is no dilation; valid: 0.000001 .. 1000000000, wall seconds of a simulated second");
  return value;
}

/// The same options as CLI11 collects them, unchecked.
struct RawNbdOptions {
  NbdOptions nbd;
  std::string seed, pace, gather, memory;
  RawPictureOptions pictures;
};

void add_nbd(CLI::App& command, RawNbdOptions& raw) {
  NbdOptions& nbd = raw.nbd;
  command.add_option("device", nbd.device, "device file, or name of a preset")->type_name("DEVICE.toml")->required();
  command.add_option("--unix", nbd.socket, "socket to serve at")->type_name("SOCK")->check(not_empty);
  command.add_option("--run", nbd.run, "shell command that is the client, with $uri and $unixsocket; ends with it")
      ->type_name("COMMAND")
      ->check(not_empty);
  command.add_option("--state", nbd.state, "folder in which the drive is kept between servers")
      ->type_name("DIR")
      ->check(not_empty);
  command.add_flag("--sync", nbd.sync, "with --state: what is acknowledged survives a failure of this machine, too");
  command.add_option("--pace", raw.pace, "a simulated second takes X seconds; default: as fast as it can")
      ->type_name("X");
  command
      .add_option("--gather", raw.gather,
                  "without --pace: wait so long for the next request of a client that had more in flight; default: 200")
      ->type_name("MICROSECONDS");
  command.add_option("--data-memory", raw.memory, "of contents in memory, more go to $TMPDIR; default: 512 MiB")
      ->type_name("SIZE");
  add_overrides(command, nbd.overrides);
  command.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("N");
  command.add_option("--out", nbd.out, "folder for result.json and tables")->type_name("DIR")->check(not_empty);
  command.add_option("--io-log", nbd.io_log, "write every command into DIR: binary (io_log.bin), csv or both")
      ->type_name("binary|csv|both");
  add_picture_options(command, raw.pictures);
  command.add_flag("--quiet", nbd.quiet, "no progress and no summary");
  command.add_flag("--json", nbd.json, "print the result as JSON at the end, and nothing else on the output");
}

NbdOptions checked_nbd(const CLI::App& app, const RawNbdOptions& raw) {
  NbdOptions nbd = raw.nbd;
  if (nbd.socket.empty() && nbd.run.empty()) throw UsageError("nbd: say --unix SOCK, or --run COMMAND, or both");
  if (nbd.sync && nbd.state.empty()) throw UsageError("--sync: is about --state; there is none");
  if (!raw.pace.empty()) nbd.pace = parse_pace(raw.pace);
  if (!raw.gather.empty() && !raw.pace.empty()) throw UsageError("--gather: does not go together with --pace");
  if (!raw.gather.empty()) nbd.gather_us = parse_count("--gather", raw.gather, 0);
  if (!raw.memory.empty()) nbd.memory = parse_byte_count("--data-memory", raw.memory, kLeastContents, kMostContents);
  if (!raw.seed.empty()) nbd.seed = parse_count("--seed", raw.seed, 0);
  nbd.pictures = checked_pictures(app, raw.pictures, nbd.out);
  check_io_log(nbd.io_log, nbd.out);
  return nbd;
}

}  // namespace

constinit const CommandEntry kNbdCommand{.name = "nbd",
                                         .place = 140,
                                         .summary = "Serve a modelled drive as a network block device",
                                         .description = kNbdDescription,
                                         .examples = kNbdExamples,
                                         .add = &add_command<RawNbdOptions, add_nbd, checked_nbd>};

}  // namespace flashloom
