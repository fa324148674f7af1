// Options of `flashloom cache`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cache_study.hpp"
#include "sc_main/program/options/analysis_options.hpp"

namespace flashloom {

struct CommandEntry;

/// A size as given: bytes, or a share of the pages that the trace touches.
struct CacheSize {
  std::string text{};
  std::uint64_t bytes = 0;  ///< 0: a share
  double share = 0;
};

struct CacheOptions {
  AnalysisOptions analysis{};
  std::vector<CachePoint> policies{};  ///< without their sizes
  std::vector<CacheSize> sizes{};
  std::vector<CacheMemory> memory{};
};

extern const CommandEntry kCacheCommand;

}  // namespace flashloom
