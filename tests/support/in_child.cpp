#include "tests/support/in_child.hpp"

#include <stdexcept>

#include "sc_main/program/run/child_process.hpp"

namespace flashloom {

nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& body) {
#ifdef __SANITIZE_ADDRESS__  // what only the stack of a SystemC thread refers to would count as leaked
  ChildPool pool(1, ChildPool::Ends::AtOnce);
  const ChildPool::Outcome outcome = pool.outcome(pool.start([&body] { return body().dump(); }));
  if (!outcome.error.empty()) throw std::runtime_error(outcome.error);
  return nlohmann::ordered_json::parse(outcome.answer);
#else
  return in_children(1, 1, [&body](std::size_t) { return body(); }).front();
#endif
}

}  // namespace flashloom
