#include <nlohmann/json.hpp>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/help_options.hpp"

namespace flashloom {
namespace {

int version_command(const VersionOptions& options, std::ostream& out) {
  if (!options.json) {
    out << "flashloom " << flashloom_version() << components_left_out() << '\n';
    return 0;
  }
  const BuildInformation build = build_information();
  nlohmann::ordered_json components;
  for (const auto& [name, built] : build_components()) components[name] = built;
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
      {"components", std::move(components)},
      {"schemas", {{"result", kResultSchema}, {"run", kRunSchema}, {"state", kStateSchema}}}};
  out << json_text(json, 2) << '\n';
  return 0;
}

const RegisterCommand registered_version(kVersionCommand, version_command);

}  // namespace
}  // namespace flashloom
