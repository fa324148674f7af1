// The arguments of `flashloom list`.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

/// Registered families of parts, and presets, formats, generators, ...
std::vector<std::string> list_families();

}  // namespace flashloom
