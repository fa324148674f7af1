// Paths from a job to the device: what a device file's host.driver stands for.
#pragma once

#include <span>
#include <string_view>

#include "models/common/types.hpp"

namespace flashloom {

/// Figures of a path, all of which a device file may override.
struct HostDriverKind {
  std::string_view name;         ///< "kernel"
  std::string_view source;       ///< where the figures come from, and what is assumed
  Picoseconds submit_cost;       ///< HostConfig::submit_cost
  Picoseconds complete_cost;     ///< HostConfig::complete_cost
  Picoseconds complete_latency;  ///< HostConfig::complete_latency
};

/// All of them, "none" not among them.
std::span<const HostDriverKind> host_driver_kinds();

/// The one of that name; null if there is none.
const HostDriverKind* find_host_driver(std::string_view name);

}  // namespace flashloom
