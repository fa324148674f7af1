// SIGINT and SIGTERM as a wish (workloads/interruption.hpp), as long as a command runs that ends in order.
#pragma once

#include <csignal>

namespace flashloom {

/// The first signal is noted: until finish_in_order() what looks for it gives up with Interrupted. A second one kills. A
/// signal that is ignored (nohup) stays so.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// From now on there is something to report: the command itself ends its work when it sees the wish.
  static void finish_in_order();
  /// Of a child process: signals end it at once.
  static void forget();

 private:
  struct sigaction before_[2]{};
};

}  // namespace flashloom
