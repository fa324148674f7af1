// Options common to the untimed trace analyses: `flashloom cache` and `flashloom cold`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/parameters.hpp"
#include "sc_main/program/options/trace_options.hpp"

namespace CLI {
class App;
}

namespace flashloom {

struct AnalysisOptions {
  TraceSpec trace{};
  std::string generate{};                        ///< generator with parameters, in place of the trace
  std::uint64_t space = std::uint64_t{1} << 30;  ///< bytes of a generator's address space
  std::uint64_t seed = 1;                        ///< of a generator
  std::uint32_t page = 4096;                     ///< bytes
  std::uint32_t block = 64 * 4096;               ///< bytes, whole pages
  std::uint64_t max_requests = 0;                ///< 0: all
  unsigned threads = 0;                          ///< 0: one per core
  bool json = false;
  bool print_json = false;  ///< print JSON to the output in addition to the file
  std::string out{};        ///< file; empty: none
  bool quiet = false;       ///< no progress

  std::uint32_t pages_per_block() const { return block / page; }
  /// Base name of the trace, or the generator.
  std::string source_name() const;
  unsigned thread_count() const;
};

/// The same options as CLI11 collects them, unchecked.
struct RawAnalysisOptions {
  std::string trace, generate, space, seed, page = "4 KiB", block, format = "csv", max_requests, threads, out;
  bool quiet = false, json = false;
};

/// Adds the options and the trace.
void add_analysis(CLI::App& app, RawAnalysisOptions& raw);
/// Checks them; `command` is for messages. Throws UsageError.
AnalysisOptions checked_analysis(const std::string& command, const RawAnalysisOptions& raw);

/// Splits "a, b" at commas, and trims spaces.
std::vector<std::string> split_list(const std::string& text);
/// Splits a list of parts; "a,b:k=v,l=w,c" has three, since an assignment without a name belongs to the part before it.
std::vector<std::string> split_parts(const std::string& text);
/// Parses "NAME" or "NAME:PARAMETER=VALUE,..." as a part of `family`, and completes its parameters. `option` is for
/// messages; `valid`: the names allowed. Throws UsageError, ConfigError.
PolicyChoice parse_part(const std::string& option, const std::string& text, const std::string& family,
                        const std::vector<std::string>& valid);
/// The text of a part as given, as one CSV field.
std::string part_label(const PolicyChoice& choice, const std::string& text);
std::vector<std::string> part_names(const std::string& family);

}  // namespace flashloom
