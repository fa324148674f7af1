#include <nlohmann/json.hpp>

#include "sc_main/cli/commands.hpp"
#include "sc_main/config/json_text.hpp"
#include "sc_main/options/version.hpp"
#include "sc_main/run/report.hpp"
#include "sc_main/state/state_file.hpp"

namespace flashloom {

int version_command(const VersionOptions& options, std::ostream& out) {
  if (!options.json) {
    out << "flashloom " << flashloom_version() << '\n';
    return 0;
  }
  const BuildInformation build = build_information();
  const nlohmann::ordered_json json = {
      {"name", "flashloom"},
      {"version", flashloom_version()},
      {"compiler", {{"id", build.compiler}, {"version", build.compiler_version}}},
      {"cxx_standard", build.cxx_standard},
      {"systemc", build.systemc},
      {"build_type", build.type},
      {"options",
       {{"unity", build.unity},
        {"link_time_optimization", build.link_time_optimization},
        {"sanitizers", build.sanitizers},
        {"assertions", build.assertions}}},
      {"schemas", {{"result", kResultSchema}, {"run", kRunSchema}, {"state", kStateSchema}}}};
  out << json_text(json, 2) << '\n';
  return 0;
}

}  // namespace flashloom
