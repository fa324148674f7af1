#include "sc_main/attach/vfio_user/vfio_user_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kVfioUserDescription = R"(
Serves the modelled drive, with real bytes, as a PCI device of the vfio-user protocol on a Unix socket, to one client
after the other: the guest's own NVMe driver works with it. Simulated time goes on while the controller has something to
do, as fast as it can; with --pace it follows the clock on the wall. Ends with SIGINT or SIGTERM, then writes the answers
of a run into --out. docs/how-to/vfio-user.md says more.)";

constexpr const char* kVfioUserExamples = R"(
  flashloom vfio-user tiny --socket drive.sock --out results
  flashloom vfio-user nvme-tlc-1tb --socket drive.sock --pace 100)";

struct RawVfioUserOptions {
  VfioUserOptions vfio;
  RawServeOptions raw;
};

void add_vfio_user(CLI::App& command, RawVfioUserOptions& raw) {
  VfioUserOptions& vfio = raw.vfio;
  add_served_device(command, vfio);
  command.add_option("--socket", vfio.socket, "socket to serve at")->type_name("SOCK")->check(not_empty);
  command.add_option("--state", vfio.state, "begin from a saved state")->type_name("F.state")->check(not_empty);
  command
      .add_option("--save-state", vfio.save_state,
                  "file for the state at the end, for --state; not for namespaces, features and health")
      ->type_name("F.state")
      ->check(not_empty);
  add_serve_options(command, vfio, raw.raw);
}

VfioUserOptions checked_vfio_user(const CLI::App& app, const RawVfioUserOptions& raw) {
  VfioUserOptions vfio = raw.vfio;
  if (vfio.socket.empty()) throw UsageError("vfio-user: say --socket SOCK");
  check_serve_options(app, vfio, raw.raw);
  return vfio;
}

}  // namespace

constinit const CommandEntry kVfioUserCommand{
    .name = "vfio-user",
    .place = 145,
    .summary = "Serve a modelled drive as a PCI device to virtual machines",
    .description = kVfioUserDescription,
    .examples = kVfioUserExamples,
    .add = &add_command<RawVfioUserOptions, add_vfio_user, checked_vfio_user>};

}  // namespace flashloom
