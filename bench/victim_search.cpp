// victim_search TRACE PAGE SHARE POLICY[:PARAMETER=NUMBER]...: measures the CPU time that a policy takes to make room
// on a miss in a full cache, from the start of the search until the victim has left. Prints a line for each policy:
// name, number of times, nanoseconds each. The cache holds SHARE of the trace's pages of PAGE bytes; dirty ghosts do
// not count (the accounting of the DLD-ARC paper).
#include <fmt/format.h>

#include <iostream>
#include <stdexcept>
#include <string>

#include "analysis/huge_pages.hpp"
#include "analysis/page_trace.hpp"
#include "policies/replacement/cache_model.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

PolicyChoice choice_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, {}};
  const std::size_t equals = text.find('=', colon);
  if (equals == std::string::npos) throw std::invalid_argument(text + " is not POLICY:PARAMETER=NUMBER");
  return {text.substr(0, colon),
          ParameterValues({{text.substr(colon + 1, equals - colon - 1), std::stod(text.substr(equals + 1))}})};
}

void measure(const PageTrace& trace, double share, const std::string& policy) {
  CacheModelContext context{.policy = {}, .directory = trace.directory(), .future = {}};
  context.policy.capacity = std::max(1U, static_cast<std::uint32_t>(share * trace.footprint));
  context.policy.memory = &huge_pages();
  context.policy.shared_budget = false;
  const auto model = make_cache_model(choice_of(policy), context);
  RoomTimer timer;
  model->time_room(&timer);
  model->run(trace.references);
  std::cout << fmt::format("{} {} {:.1f}\n", policy, timer.times(), timer.nanoseconds());
}

}  // namespace
}  // namespace flashloom

int main(int argc, char** argv) {
  constexpr int kFirstPolicy = 4;
  if (argc <= kFirstPolicy) {
    std::cerr << "victim_search TRACE PAGE SHARE POLICY[:PARAMETER=NUMBER]...\n";
    return 2;
  }
  try {
    const auto source = flashloom::open_trace(argv[1], {});
    const auto page = static_cast<std::uint32_t>(std::stoul(argv[2]));
    const flashloom::PageTrace trace = flashloom::read_page_trace(*source, {.page_bytes = page});
    for (int i = kFirstPolicy; i < argc; ++i) flashloom::measure(trace, std::stod(argv[3]), argv[i]);
  } catch (const std::exception& error) {
    std::cerr << "victim_search: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
