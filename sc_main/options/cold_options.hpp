// Options of `flashloom cold`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cold_study.hpp"
#include "sc_main/options/analysis_options.hpp"

namespace flashloom {

struct ColdOptions {
  AnalysisOptions analysis{};
  std::vector<std::string> detectors{};
  std::vector<std::uint32_t> deltas{};   ///< pages
  std::vector<std::uint32_t> buffers{};  ///< pages
  PolicyChoice policy{};                 ///< complete
  std::string policy_label{};            ///< as it was asked for
  bool blocks = false;                   ///< the policy is of family "write_buffer"
};

/// The same as CLI11 collects them.
struct RawColdOptions {
  RawAnalysisOptions analysis;
  std::string detector = "spatial,temporal", delta, buffer, policy = "lru";
};

/// Adds the command.
CLI::App* add_cold(CLI::App& app, RawColdOptions& raw);

/// Checks them. Throws UsageError, ConfigError.
ColdOptions checked_cold(const RawColdOptions& raw);

}  // namespace flashloom
