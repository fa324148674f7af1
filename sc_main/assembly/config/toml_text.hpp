// Values as TOML text.
#pragma once

#include <string>
#include <string_view>

namespace flashloom {

/// A basic string with its quotes and escapes.
std::string toml_string(std::string_view text);
/// A number that reads back as the same double, and as a TOML float rather than an integer.
std::string toml_number(double value);

}  // namespace flashloom
