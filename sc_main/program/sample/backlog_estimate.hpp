// Estimates the backlog of a device in an open loop without simulating it.
#pragma once

#include <algorithm>

namespace flashloom {

/// The backlog of a single-server queue (Lindley's recursion): the work that is left when a request arrives. All times
/// are in seconds.
class BacklogEstimate {
 public:
  /// A request of service time `cost` arrives at `at`, no earlier than the one before it.
  void arrive(double at, double cost) {
    const double left = behind_ + cost_ - (at - at_);
    behind_ = std::max(left, 0.0);
    rest_ = std::max(-left, 0.0);
    at_ = at;
    cost_ = cost;
  }
  /// Work that was left when the last request arrived, its own excluded.
  double behind() const { return behind_; }
  /// How long the server had been idle when the last request arrived.
  double rest() const { return rest_; }

 private:
  double behind_ = 0;
  double rest_ = 0;
  double at_ = 0;
  double cost_ = 0;
};

}  // namespace flashloom
