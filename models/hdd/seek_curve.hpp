// Seek time by distance.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// a + b * sqrt(d) for short seeks, where the arm accelerates and brakes; c + e * d for long ones, where it coasts
/// (Ruemmler and Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer, 1994). Both parts have the same value
/// and slope where they meet.
class SeekCurve {
 public:
  /// Fits the curve to the seek by one cylinder, the mean over all pairs of cylinders, and the seek over all
  /// `cylinders` (>= 2). Throws std::invalid_argument, with the possible range of the mean, if no such curve exists.
  SeekCurve(Picoseconds track_to_track, Picoseconds average, Picoseconds full_stroke, std::uint32_t cylinders);

  /// 0 for a distance of 0.
  Picoseconds operator()(std::uint32_t distance) const;
  /// Distance beyond which the curve is linear.
  double knee() const { return knee_; }

 private:
  void fit(double first, double last, double span, double knee);
  double mean(double cylinders) const;

  double knee_ = 1;
  double a_ = 0, b_ = 0, c_ = 0, e_ = 0;  // ps, distances in cylinders
};

}  // namespace flashloom
