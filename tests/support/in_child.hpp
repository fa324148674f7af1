// Runs a body in a child process: SystemC allows one simulation a process, and a test often needs several.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace flashloom {

/// Calls `body` in a forked child and returns what it returned. Throws std::runtime_error with the message of what the
/// body threw, or with the signal that ended the child.
nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& body);

}  // namespace flashloom
