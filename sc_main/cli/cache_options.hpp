// Options of `flashloom cache`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cache_study.hpp"
#include "sc_main/cli/trace_options.hpp"

namespace CLI {
class App;
}

namespace flashloom {

/// A size as it was given: bytes, or a share of the pages that the trace touches.
struct CacheSize {
  std::string text{};
  std::uint64_t bytes = 0;  ///< 0: a share
  double share = 0;
};

struct CacheOptions {
  TraceSpec trace{};
  std::string generate{};                        ///< generator with parameters, in place of the trace
  std::uint64_t space = std::uint64_t{1} << 30;  ///< bytes that a generator has
  std::uint64_t seed = 1;                        ///< of a generator
  std::vector<CachePoint> policies{};            ///< without their sizes
  std::vector<CacheSize> sizes{};
  std::vector<CacheMemory> memory{};
  std::uint32_t page = 4096;        ///< bytes
  std::uint32_t block = 64 * 4096;  ///< bytes, whole pages
  std::uint64_t max_requests = 0;   ///< 0: all
  unsigned threads = 0;             ///< 0: one a core
  bool json = false;
  std::string out{};   ///< file; empty: none
  bool quiet = false;  ///< no progress
};

/// The same as CLI11 collects them.
struct RawCacheOptions {
  std::string trace, generate, space, seed, policy, size, page = "4 KiB", block, memory = "real", format = "csv",
                                                          max_requests, threads, out;
  bool quiet = false;
};

/// Adds the command.
CLI::App* add_cache(CLI::App& app, RawCacheOptions& raw);

/// Checks them. Throws UsageError, ConfigError.
CacheOptions checked_cache(const RawCacheOptions& raw);

}  // namespace flashloom
