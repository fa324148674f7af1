// flashloom precondition: device file in, state of the preconditioned device out.
#include <fmt/format.h>

#include <iostream>

#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/precondition_options.hpp"
#include "sc_main/program/run/progress.hpp"

namespace flashloom {
namespace {

int precondition_command(const PreconditionOptions& options, std::ostream& out) {
  const LoadedConfig config = load_device(options.device, options.overrides, options.seed);
  StateHeader header = header_of(config.device);
  header.compact = options.compress;
  StateWriter writer(options.state, header);  // before the work, so that a bad path costs nothing
  Progress progress(options.quiet);
  Simulation simulation(config.device);
  PreconditionResult result =
      simulation.precondition([&](const char* step, double share) { progress.precondition(step, share); });
  simulation.state(writer, result);
  writer.commit();
  progress.end();
  if (!options.quiet)
    (writer.to_stdout() ? std::cerr : out) << fmt::format(
        "{}: {} preconditioned with seed {}: {} bytes filled, {}{} random passes{}, WAF {:.3f}; {} bytes\n",
        options.state, config.device.name, result.seed, result.filled_bytes, result.drawn ? "steady state drawn, " : "",
        result.passes, result.settled ? " (settled)" : "", result.waf, writer.size());
  return 0;
}

const RegisterCommand registered_precondition(kPreconditionCommand, precondition_command);

}  // namespace
}  // namespace flashloom
