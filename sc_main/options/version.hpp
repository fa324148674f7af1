// The version of Flashloom, as results name it.
#pragma once

namespace flashloom {

/// "0.1.0"
const char* flashloom_version();

}  // namespace flashloom
