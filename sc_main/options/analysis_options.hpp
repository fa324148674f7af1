// What the commands that run a trace through something without time have in common: `cache`, `cold`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/parameters.hpp"
#include "sc_main/options/trace_options.hpp"

namespace CLI {
class App;
}

namespace flashloom {

struct AnalysisOptions {
  TraceSpec trace{};
  std::string generate{};                        ///< generator with parameters, in place of the trace
  std::uint64_t space = std::uint64_t{1} << 30;  ///< bytes that a generator has
  std::uint64_t seed = 1;                        ///< of a generator
  std::uint32_t page = 4096;                     ///< bytes
  std::uint32_t block = 64 * 4096;               ///< bytes, whole pages
  std::uint64_t max_requests = 0;                ///< 0: all
  unsigned threads = 0;                          ///< 0: one a core
  bool json = false;
  bool print_json = false;  ///< on the output, beside a file
  std::string out{};        ///< file; empty: none
  bool quiet = false;       ///< no progress

  std::uint32_t pages_per_block() const { return block / page; }
  /// Base name of the trace, or the generator.
  std::string source_name() const;
  unsigned thread_count() const;
};

/// The same as CLI11 collects them.
struct RawAnalysisOptions {
  std::string trace, generate, space, seed, page = "4 KiB", block, format = "csv", max_requests, threads, out;
  bool quiet = false, json = false;
};

/// Adds the options and the trace.
void add_analysis(CLI::App& app, RawAnalysisOptions& raw);
/// Checks them; `command` is for messages. Throws UsageError.
AnalysisOptions checked_analysis(const std::string& command, const RawAnalysisOptions& raw);

/// "a, b" are two, without spaces around them.
std::vector<std::string> split_list(const std::string& text);
/// "a,b:k=v,l=w,c" are three: an assignment without a name before it belongs to the one before.
std::vector<std::string> split_parts(const std::string& text);
/// "NAME" or "NAME:PARAMETER=VALUE,...": one of `family`, complete. `option` is for messages; `valid` are the names
/// that are. Throws UsageError, ConfigError.
PolicyChoice parse_part(const std::string& option, const std::string& text, const std::string& family,
                        const std::vector<std::string>& valid);
/// The part as it was asked for, fit for a CSV field.
std::string part_label(const PolicyChoice& choice, const std::string& text);
std::vector<std::string> part_names(const std::string& family);

}  // namespace flashloom
