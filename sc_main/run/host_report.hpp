// What the host measured, and the host interface, for result.json.
#pragma once

#include <nlohmann/json.hpp>

#include "controllers/host/host_driver.hpp"
#include "controllers/host_interface/host_interface.hpp"
#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// Few workloads write zeroes: where none came, results do not name the operation.
bool is_reported(std::size_t operation, std::uint64_t ios);
/// `host_interface` of result.json: the protocol, what it sent beside commands and data, and each namespace.
nlohmann::ordered_json host_interface_json(const HostDriver& driver, const HostInterface& interface,
                                           const DeviceConfig& config);
/// `host` of result.json.
nlohmann::ordered_json host_json(const HostDriver& driver, const HostStatistics& statistics, bool with_breakdown);

}  // namespace flashloom
