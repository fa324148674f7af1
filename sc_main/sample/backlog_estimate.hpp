// How far behind a trace's clock a device is, without simulating it.
#pragma once

#include <algorithm>

namespace flashloom {

/// A queue of work that one server does at its own pace (Lindley's recursion): what is left of it when a request comes
/// at its time. All in seconds.
class BacklogEstimate {
 public:
  /// A request comes, no earlier than the one before, that will take `cost`.
  void arrive(double at, double cost) {
    const double left = behind_ + cost_ - (at - at_);
    behind_ = std::max(left, 0.0);
    rest_ = std::max(-left, 0.0);
    at_ = at;
    cost_ = cost;
  }
  /// Work that was left when the last one came, without its own.
  double behind() const { return behind_; }
  /// For so long nothing had been left to do by then.
  double rest() const { return rest_; }

 private:
  double behind_ = 0;
  double rest_ = 0;
  double at_ = 0;
  double cost_ = 0;
};

}  // namespace flashloom
