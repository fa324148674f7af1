// Bodies in processes of their own: SystemC allows one simulation a process.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace flashloom {

/// Calls body(0) .. body(count - 1), each in a forked child, at most `parallel` at the same time; returns what they
/// returned, in order. No simulation may exist in this process yet. Throws std::runtime_error with the message of what
/// the first of them threw, or with the signal that ended it; all have ended then. They end with this process, however
/// it ends.
std::vector<nlohmann::ordered_json> in_children(std::size_t count, unsigned parallel,
                                                const std::function<nlohmann::ordered_json(std::size_t)>& body);

}  // namespace flashloom
