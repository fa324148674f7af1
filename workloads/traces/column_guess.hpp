// What the columns of an unknown table may mean.
#pragma once

#include <string>

#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// For the message that no format fits: the fields of the first line, numbered, and the option --columns that names and
/// values suggest, as far as they do. Empty for bytes that are no text.
std::string seen_columns(const TraceSample& sample);

}  // namespace flashloom
