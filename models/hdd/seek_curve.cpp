#include "models/hdd/seek_curve.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace flashloom {
namespace {

std::string microseconds(double time) { return std::to_string(static_cast<std::uint64_t>(time / kMicrosecond)); }

}  // namespace

SeekCurve::SeekCurve(Picoseconds track_to_track, Picoseconds average, Picoseconds full_stroke,
                     std::uint32_t cylinders) {
  const auto first = static_cast<double>(track_to_track);
  const auto last = static_cast<double>(full_stroke);
  const auto wanted = static_cast<double>(average);
  const double span = cylinders - 1;
  // The mean rises with the knee: a later knee makes the curve rise faster at first.
  double low = 1;
  double high = span;
  fit(first, last, span, low);
  const double least = mean(cylinders);
  fit(first, last, span, high);
  const double most = mean(cylinders);
  if (last < first) throw std::invalid_argument("the shortest seek is longer than the longest");
  if (wanted < least || wanted > most)
    throw std::invalid_argument("no seek curve has this mean; valid: " + microseconds(least) + " .. " +
                                microseconds(most) + " us");
  constexpr int kSteps = 60;  // more than the precision of a double
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    fit(first, last, span, middle);
    (mean(cylinders) < wanted ? low : high) = middle;
  }
}

// The curve through (1, first) and (span, last), with this knee.
void SeekCurve::fit(double first, double last, double span, double knee) {
  knee_ = knee;
  const double root = std::sqrt(knee);
  const double rise = root / 2 + span / (2 * root) - 1;
  b_ = rise == 0 ? 0 : (last - first) / rise;
  a_ = first - b_;
  e_ = b_ / (2 * root);
  c_ = a_ + b_ * root / 2;
}

// Mean over pairs of cylinders: a distance of share x of all cylinders has density 2 (1 - x).
double SeekCurve::mean(double cylinders) const {
  const double x = knee_ / cylinders;
  const double slow = a_ * (1 - (1 - x) * (1 - x)) +
                      2 * b_ * std::sqrt(cylinders) * (2.0 / 3 * x * std::sqrt(x) - 2.0 / 5 * x * x * std::sqrt(x));
  const double line = c_ * (1 - x) * (1 - x) + 2 * e_ * cylinders * (1.0 / 6 - x * x / 2 + x * x * x / 3);
  return slow + line;
}

Picoseconds SeekCurve::operator()(std::uint32_t distance) const {
  if (distance == 0) return 0;
  const double d = distance;
  return static_cast<Picoseconds>((d < knee_ ? a_ + b_ * std::sqrt(d) : c_ + e_ * d) + 0.5);
}

}  // namespace flashloom
