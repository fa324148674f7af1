// Turns SIGINT and SIGTERM into a request to end (workloads/interruption.hpp) while a command runs that ends in order.
#pragma once

#include <csignal>

namespace flashloom {

/// The first signal is noted: until finish_in_order() is called, code that polls for it throws Interrupted. A second
/// signal kills. A signal that is ignored (nohup) stays ignored.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// From now on there are results to report: the command itself ends its work when it sees the noted signal.
  static void finish_in_order();
  /// Restores the default handlers, so that signals end the process at once; for child processes.
  static void forget();

 private:
  struct sigaction before_[2]{};
};

}  // namespace flashloom
