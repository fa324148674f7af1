#include "sc_main/program/cli/cli_main.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "policies/registry.hpp"
#include "policies/state_archive.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/validate.hpp"
#include "sc_main/assembly/config/verbose.hpp"
#include "sc_main/assembly/plugins/plugin.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/help_options.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/options.hpp"
#include "sc_main/program/options/program_options.hpp"
#include "sc_main/program/options/terminal.hpp"
#include "sc_main/program/run/interrupt_watch.hpp"
#include "workloads/interruption.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;

/// Messages quote file names, keys and lines of the user: shows their control characters as escapes, like "\x1b", so
/// that the terminal does not obey them. In UTF-8 the control characters above ASCII are 0xc2 and one of 0x80 to 0x9f.
std::string visible(const std::string& text) {
  std::string shown;
  const auto is_high = [](unsigned char c) { return c >= 0x80 && c <= 0x9f; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto before = static_cast<unsigned char>(i == 0 ? 0 : text[i - 1]);
    const auto after = static_cast<unsigned char>(i + 1 == text.size() ? 0 : text[i + 1]);
    const bool low = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (low || (c == 0xc2 && is_high(after)) || (is_high(c) && (before < 0x80 || before == 0xc2)))
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", c);
    else
      shown += text[i];
  }
  return shown;
}

int report(std::ostream& err, const std::exception& error, int code) {
  err << "flashloom: " << styled(err, TextStyle::Error, "error:") << ' ' << visible(error.what()) << '\n';
  return code;
}

/// Loads the plug-ins of $FLASHLOOM_PLUGINS and --plugin before the command line is parsed, which may name their parts.
void load_plugins(const ProgramOptions& options) {
  std::vector<std::string> files;
  if (const char* const given = std::getenv("FLASHLOOM_PLUGINS"); given != nullptr) {
    std::istringstream names(given);
    for (std::string name; std::getline(names, name, ':');)
      if (!name.empty()) files.push_back(name);
  }
  files.insert(files.end(), options.plugins.begin(), options.plugins.end());
  for (const std::string& file : files) {
    load_plugin(file);
    tell("plug-in " + file);
  }
}

const RegisterCommand registered_help(kHelpCommand);

}  // namespace

int cli_main(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const ProgramOptions options = take_program_options(arguments);
    tell_verbosely(options.verbose);
    load_plugins(options);
    const ParsedCommand command = parse_command_line(options.arguments);
    int code = 0;
    if (const auto* const information = std::any_cast<InformationText>(&command.options)) {
      out << styled_help(out, information->text);
    } else {
      std::optional<InterruptWatch> watch;
      if (command.binding->signals == Signals::Watched) watch.emplace();
      code = command.binding->run(command.options, out);
    }
    out.flush();
    if (!out) throw std::runtime_error("cannot write the output");
    return code;
  } catch (const Interrupted&) {
    err << "flashloom: interrupted: nothing is written\n";
    return kInterruptedCode;
  } catch (const UsageError& error) {
    return report(err, error, kBadInput);
  } catch (const ConfigError& error) {
    return report(err, error, kBadInput);
  } catch (const ConfigProblem& problem) {  // thrown by a part, which does not know the file
    return report(err, ConfigError(problem.key(), {}, message_of(problem)), kBadInput);
  } catch (const WorkloadError& error) {
    return report(err, error, kBadInput);
  } catch (const StateError& error) {
    return report(err, error, kBadInput);
  } catch (const UnknownPart& error) {
    return report(err, error, kBadInput);
  } catch (const PluginError& error) {
    return report(err, error, kBadInput);
  } catch (const std::exception& error) {
    return report(err, error, kFailed);
  }
}

}  // namespace flashloom
