// Policies and workloads without a simulation: how many of a trace's requests begin where another one has begun before, and
// which replacement policies there are to try on it.
#include <cstdint>
#include <iostream>
#include <policies/registry.hpp>
#include <unordered_set>
#include <workloads/traces/trace_format.hpp>

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: policy_study TRACE\n";
    return 2;
  }
  try {
    const auto trace = flashloom::open_trace(arguments[1]);
    std::unordered_set<std::uint64_t> seen;
    std::uint64_t requests = 0;
    std::uint64_t again = 0;
    for (flashloom::Request request; trace->next(request); ++requests)
      again += seen.insert(request.offset).second ? 0 : 1;
    std::cout << requests << " requests, " << again << " of them where one was before\npolicies:";
    for (const flashloom::PartInfo* part : flashloom::PartCatalog::instance().parts("replacement"))
      std::cout << ' ' << part->name;
    std::cout << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
