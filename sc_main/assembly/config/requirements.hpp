// Helpers for the messages of a device file's checks, beside require().
#pragma once

#include <cstdint>
#include <string>

#include "models/common/config_problem.hpp"
#include "sc_main/assembly/config/quantity.hpp"

namespace flashloom {

inline std::string bytes(std::uint64_t value) { return format_exact(Quantity::Bytes, value); }

}  // namespace flashloom
