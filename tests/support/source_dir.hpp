// Where the tree lies. In a file of its own, so that all others compile alike wherever it lies (ccache).
#pragma once

#include <string>

namespace flashloom {

/// Absolute path of the source tree.
std::string source_dir();

}  // namespace flashloom
