// Runs a body in a child process: SystemC allows one simulation per process, and a test often needs several.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace flashloom {

/// Calls `body` in a forked child and returns its result. Throws std::runtime_error with the message of the exception
/// that `body` threw, or with the signal that ended the child.
nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& body);

}  // namespace flashloom
