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
#include "sc_main/cli/commands.hpp"
#include "sc_main/compare/compare_command.hpp"
#include "sc_main/config/document.hpp"
#include "sc_main/config/validate.hpp"
#include "sc_main/config/verbose.hpp"
#include "sc_main/linux/linux_command.hpp"
#include "sc_main/linux/linux_torture.hpp"
#include "sc_main/nbd/nbd_command.hpp"
#include "sc_main/options/program_options.hpp"
#include "sc_main/options/terminal.hpp"
#include "sc_main/plugins/plugin.hpp"
#include "sc_main/run/commands.hpp"
#include "sc_main/run/interrupt_watch.hpp"
#include "sc_main/torture/torture_command.hpp"
#include "workloads/interruption.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

struct Dispatch {
  std::ostream& out;
  int operator()(const RunOptions& options) const { return run_command(options, out); }
  int operator()(const PreconditionOptions& options) const { return precondition_command(options, out); }
  int operator()(const EnduranceOptions& options) const { return endurance_command(options, out); }
  int operator()(const TortureOptions& options) const {
    return options.scenario.empty() ? torture_command(options, out) : linux_torture_command(options, out);
  }
  int operator()(const ListOptions& options) const { return list_command(options, out); }
  int operator()(const VersionOptions& options) const { return version_command(options, out); }
  int operator()(const CompletionOptions& options) const { return completion_command(options, out); }
  int operator()(const CompleteOptions& options) const { return complete_command(options, out); }
  int operator()(const CheckDevicesOptions& options) const { return check_command(options, out); }
  int operator()(const ConfigOptions& options) const { return config_command(options, out); }
  int operator()(const TraceInfoOptions& options) const { return trace_info_command(options, out); }
  int operator()(const TraceConvertOptions& options) const { return trace_convert_command(options, out); }
  int operator()(const WorkloadOptions& options) const { return workload_command(options, out); }
  int operator()(const CacheOptions& options) const { return cache_command(options, out); }
  int operator()(const ColdOptions& options) const { return cold_command(options, out); }
  int operator()(const CompareOptions& options) const { return compare_command(options, out); }
  int operator()(const FitOptions& options) const { return fit_command(options); }
  int operator()(const LinuxOptions& options) const { return linux_command(options, out); }
  int operator()(const NbdOptions& options) const { return nbd_command(options, out); }
  int operator()(const InformationText& information) const {
    out << styled_help(out, information.text);
    return 0;
  }
};

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

}  // namespace

int cli_main(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const ProgramOptions options = take_program_options(arguments);
    tell_verbosely(options.verbose);
    load_plugins(options);
    const CommandOptions command = parse_command_line(options.arguments);
    const auto* const torture = std::get_if<TortureOptions>(&command);
    std::optional<InterruptWatch> watch;  // commands with guests or clients have their own
    if (!std::holds_alternative<LinuxOptions>(command) && !std::holds_alternative<NbdOptions>(command) &&
        (torture == nullptr || torture->scenario.empty()))
      watch.emplace();
    const int code = std::visit(Dispatch{out}, command);
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
