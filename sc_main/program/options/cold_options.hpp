// Options of `flashloom cold`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cold_study.hpp"
#include "sc_main/program/options/analysis_options.hpp"

namespace flashloom {

struct CommandEntry;

struct ColdOptions {
  AnalysisOptions analysis{};
  std::vector<std::string> detectors{};
  std::vector<std::uint32_t> deltas{};   ///< pages
  std::vector<std::uint32_t> buffers{};  ///< pages
  PolicyChoice policy{};                 ///< complete
  std::string policy_label{};            ///< as given
  bool blocks = false;                   ///< the policy is of family "write_buffer"
};

extern const CommandEntry kColdCommand;

}  // namespace flashloom
