#include "sc_main/attach/serve/serve_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kLeastContents = std::uint64_t{1} << 20;  // bytes
constexpr std::uint64_t kMostContents = std::uint64_t{1} << 50;
constexpr double kMostPace = 1e9;

double parse_pace(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || !(value >= 1e-6 && value <= kMostPace))
    throw UsageError("--pace: \"" + text +
                     "\" is no dilation; valid: 0.000001 .. 1000000000, wall seconds of a simulated second");
  return value;
}

}  // namespace

std::string not_empty(const std::string& text) { return text.empty() ? "is empty; say which" : ""; }

void add_served_device(CLI::App& command, ServeOptions& options) {
  command.add_option("device", options.device, "device file, or name of a preset")
      ->type_name("DEVICE.toml")
      ->required();
}

void add_serve_options(CLI::App& command, ServeOptions& options, RawServeOptions& raw) {
  command.add_option("--pace", raw.pace, "a simulated second takes X seconds; default: as fast as it can")
      ->type_name("X");
  command
      .add_option("--gather", raw.gather,
                  "without --pace: wait so long for the next request of a client that had more in flight; default: 200")
      ->type_name("MICROSECONDS");
  command.add_option("--data-memory", raw.memory, "of contents in memory, more go to $TMPDIR; default: 512 MiB")
      ->type_name("SIZE");
  add_overrides(command, options.overrides);
  command.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("N");
  command.add_option("--out", options.out, "folder for result.json and tables")->type_name("DIR")->check(not_empty);
  command.add_option("--io-log", options.io_log, "write every command into DIR: binary (io_log.bin), csv or both")
      ->type_name("binary|csv|both");
  add_picture_options(command, raw.pictures);
  command.add_flag("--quiet", options.quiet, "no progress and no summary");
  command.add_flag("--json", options.json, "print the result as JSON at the end, and nothing else on the output");
}

void check_serve_options(const CLI::App& command, ServeOptions& options, const RawServeOptions& raw) {
  if (!raw.pace.empty()) options.pace = parse_pace(raw.pace);
  if (!raw.gather.empty() && !raw.pace.empty()) throw UsageError("--gather: does not go together with --pace");
  if (!raw.gather.empty()) options.gather_us = parse_count("--gather", raw.gather, 0);
  if (!raw.memory.empty())
    options.memory = parse_byte_count("--data-memory", raw.memory, kLeastContents, kMostContents);
  if (!raw.seed.empty()) options.seed = parse_count("--seed", raw.seed, 0);
  options.pictures = checked_pictures(command, raw.pictures, options.out);
  check_io_log(options.io_log, options.out);
}

}  // namespace flashloom
