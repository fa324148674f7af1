// Base of generators that model software in which one operation makes any number of requests.
#pragma once

#include <deque>
#include <initializer_list>

#include "workloads/generators/generator.hpp"

namespace flashloom {

/// Throws GeneratorError for the first of these parameters that is no multiple of 4 KiB, since writes are whole pages.
inline void check_whole_pages(const GeneratorValues& values, std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (values.count(name) % 4096 != 0) throw GeneratorError(name, "is no multiple of 4 KiB");
}

/// Gives out the requests of one operation after another until the budget is spent. Closed loop.
class OperationSource : public RequestSource {
 public:
  bool next(Request& request) final {
    if (budget_.spent()) return false;
    while (waiting_.empty()) operate();
    request = waiting_.front();
    waiting_.pop_front();
    budget_.count(request);
    return true;
  }
  std::uint64_t expected_requests() const final { return budget_.expected(0); }

 protected:
  OperationSource(const GeneratorValues& values, const GeneratorContext& context) : budget_(values, context) {}

  /// Makes the next operation: appends its requests, if any, to waiting_.
  virtual void operate() = 0;

  std::deque<Request> waiting_;

 private:
  RequestBudget budget_;
};

}  // namespace flashloom
