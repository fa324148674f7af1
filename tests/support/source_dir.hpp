// Where the source tree lies. In a file of its own, so that all others compile the same wherever it lies (ccache).
#pragma once

#include <string>

namespace flashloom {

/// Absolute path of the source tree.
std::string source_dir();

}  // namespace flashloom
