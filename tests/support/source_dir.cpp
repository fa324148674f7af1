#include "tests/support/source_dir.hpp"

namespace flashloom {

std::string source_dir() { return FLASHLOOM_SOURCE_DIR; }

}  // namespace flashloom
