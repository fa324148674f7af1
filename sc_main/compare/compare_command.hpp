// flashloom compare: compares runs.
#pragma once

#include <ostream>

#include "sc_main/options/compare_options.hpp"

namespace flashloom {

/// Returns the exit code. Throws UsageError for an input that is no result, std::runtime_error if the page cannot be
/// written.
int compare_command(const CompareOptions& options, std::ostream& out);

}  // namespace flashloom
