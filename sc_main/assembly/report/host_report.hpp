// The host's measurements and the host interface, for result.json.
#pragma once

#include <nlohmann/json.hpp>

#include "controllers/host/host_driver.hpp"
#include "controllers/host_interface/host_interface.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Whether a result names the operation: always read, write, trim and flush; write zeroes and later ones only if any
/// came.
bool is_reported(std::size_t operation, std::uint64_t ios);
/// `host_interface` of result.json: the protocol, its transfers beside commands and data, and each namespace.
nlohmann::ordered_json host_interface_json(const HostDriver& driver, const HostInterface& interface,
                                           const DeviceConfig& config);
/// `host` of result.json.
nlohmann::ordered_json host_json(const HostDriver& driver, const HostStatistics& statistics, bool with_breakdown);

}  // namespace flashloom
