#include "sc_main/attach/nbd/nbd_options.hpp"

#include <CLI/CLI.hpp>

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

struct RawNbdOptions {
  NbdOptions nbd;
  RawServeOptions raw;
};

void add_nbd(CLI::App& command, RawNbdOptions& raw) {
  NbdOptions& nbd = raw.nbd;
  add_served_device(command, nbd);
  command.add_option("--unix", nbd.socket, "socket to serve at")->type_name("SOCK")->check(not_empty);
  command.add_option("--run", nbd.run, "shell command that is the client, with $uri and $unixsocket; ends with it")
      ->type_name("COMMAND")
      ->check(not_empty);
  command.add_option("--state", nbd.state, "folder in which the drive is kept between servers")
      ->type_name("DIR")
      ->check(not_empty);
  command.add_flag("--sync", nbd.sync, "with --state: what is acknowledged survives a failure of this machine, too");
  add_serve_options(command, nbd, raw.raw);
}

NbdOptions checked_nbd(const CLI::App& app, const RawNbdOptions& raw) {
  NbdOptions nbd = raw.nbd;
  if (nbd.socket.empty() && nbd.run.empty()) throw UsageError("nbd: say --unix SOCK, or --run COMMAND, or both");
  if (nbd.sync && nbd.state.empty()) throw UsageError("--sync: is about --state; there is none");
  check_serve_options(app, nbd, raw.raw);
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
