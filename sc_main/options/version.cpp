// The one file that is compiled anew when the version changes.
#include "sc_main/options/version.hpp"

namespace flashloom {

const char* flashloom_version() { return FLASHLOOM_VERSION; }

}  // namespace flashloom
