#include "tests/support/in_child.hpp"

#include "sc_main/run/child_process.hpp"

namespace flashloom {

nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& body) {
  return in_children(1, 1, [&body](std::size_t) { return body(); }).front();
}

}  // namespace flashloom
