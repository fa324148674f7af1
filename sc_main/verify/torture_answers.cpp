#include "sc_main/verify/torture_answers.hpp"

#include <fmt/format.h>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/version.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

std::string reproducer(const TortureOptions& options, const TortureFailure& failure) {
  std::string text = command_line(options);
  if (options.timed) text += " --timed";
  // A failure due to a cut may be detected only before the next one: one more cut reproduces it.
  return text + fmt::format(" --seed {} --cuts {}", failure.seed, failure.cut + 1);
}

}  // namespace

std::map<std::string, StackTorture>& stack_tortures() {
  static std::map<std::string, StackTorture> tortures;
  return tortures;
}

int tell_json(std::ostream& out, const TortureOptions& options, const DeviceConfig& config, const char* kind,
              std::uint64_t cuts, Json counts, const TortureFailure* first, int code) {
  Json json = {{"schema", "flashloom.torture/1"},
               {"version", flashloom_version()},
               {"device", config.name},
               {"kind", kind},
               {"seed", config.seed},
               {"cuts_wanted", options.cuts},
               {"cuts", cuts}};
  if (interrupted() && cuts < options.cuts && first == nullptr) json["partial"] = true;
  json["passed"] = code == 0;
  json["counts"] = std::move(counts);
  json["failure"] = nullptr;
  if (first != nullptr)
    json["failure"] = {{"seed", first->seed},
                       {"cut", first->cut},
                       {"caught", first->caught},
                       {"what", first->what},
                       {"struck", first->struck},
                       {"history", first->history},
                       {"reproducer", reproducer(options, *first)}};
  out << json_text(json, 2) << '\n';
  return code;
}

void print_failure(std::ostream& out, const TortureOptions& options, const TortureFailure& failure) {
  out << fmt::format(
      "FAILED after cut {} of the drive with seed {}: {}\nthe last cut struck {}\nhistory, newest last:\n", failure.cut,
      failure.seed, failure.what, failure.struck);
  for (const std::string& line : failure.history) out << "  " << line << '\n';
  out << "to see it again:\n  " << reproducer(options, failure) << '\n';
}

}  // namespace flashloom
