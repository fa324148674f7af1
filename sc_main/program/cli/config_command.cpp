#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/list_options.hpp"

namespace flashloom {
namespace {

int config_command(const ConfigOptions& options, std::ostream& out) {
  const LoadedConfig loaded = load_config(find_device_file(options.device), options.overrides);
  if (options.json) {
    out << json_text(effective_json(loaded.device), 2) << '\n';
  } else {
    out << "# Effective configuration of " << loaded.file;
    for (const std::string& assignment : loaded.overrides) {
      std::string line = assignment;  // newlines are replaced, since a TOML comment is one line
      for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
      out << " --set " << line;
    }
    for (const auto& [choice, keys] : loaded.dropped) out << "\n# " << dropped_text(choice, keys);
    out << '\n' << effective_toml(loaded.device);
  }
  return 0;
}

const RegisterCommand registered_config(kConfigCommand, config_command);

}  // namespace
}  // namespace flashloom
