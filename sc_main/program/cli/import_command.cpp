// flashloom import, in Python.
#include "sc_main/program/cli/python_command.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/import_options.hpp"

namespace flashloom {
namespace {

int import_command(const ImportOptions& options, std::ostream&) {
  std::vector<std::string> words;
  const auto pass_on = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  pass_on("--out", options.out);
  pass_on("--job", options.job);
  pass_on("--capacity", options.capacity);
  words.insert(words.end(), {"--", options.kind});
  words.insert(words.end(), options.source.begin(), options.source.end());
  run_python({.name = "importers", .needs = "the package flashloom", .guide = "docs/how-to/import.md"}, words);
}

const RegisterCommand registered_import(kImportCommand, import_command);

}  // namespace
}  // namespace flashloom
