#include "sc_main/program/sample/window_parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace flashloom {
namespace {

constexpr std::size_t kLast = kWindowParts - 1;
constexpr double kErrors = 3;       // standard errors, for a difference
constexpr double kLeft = 2;         // standard errors, for what is left of the transient
constexpr double kMatters = 0.002;  // smallest difference that counts, relative to the value
constexpr double kShares[] = {0.5, 0.95};

// Difference between a figure of a part and that of the last part.
struct Difference {
  double mean = 0;
  double error = 0;  // standard error of the mean
  double level = 0;  // mean figure of the last part
};

Difference difference(const std::vector<double>& part, const std::vector<double>& last) {
  const auto n = static_cast<double>(part.size());
  Difference found;
  for (std::size_t i = 0; i < part.size(); ++i) {
    found.mean += (part[i] - last[i]) / n;
    found.level += last[i] / n;
  }
  double squares = 0;
  for (std::size_t i = 0; i < part.size(); ++i) squares += std::pow(part[i] - last[i] - found.mean, 2);
  found.error = n < 2 ? 0 : std::sqrt(squares / (n - 1) / n);
  return found;
}

double share_above(const WindowPart::Latencies& latencies, std::size_t bucket) {
  const auto all = static_cast<double>(latencies.count());
  return all == 0 ? 0 : 1 - static_cast<double>(latencies.count_to(bucket)) / all;
}

// Compares a figure of part `number` with that of the last part, window by window.
template <class Figure>
Difference figure_difference(const std::vector<WindowParts>& windows, std::size_t number, Figure&& figure) {
  std::vector<double> part;
  std::vector<double> last;
  for (const WindowParts& window : windows) {
    part.push_back(std::invoke(figure, window[number]));
    last.push_back(std::invoke(figure, window[kLast]));
  }
  return difference(part, last);
}

template <class Figure>
bool figure_differs(const std::vector<WindowParts>& windows, std::size_t number, double matters, Figure&& figure) {
  const Difference found = figure_difference(windows, number, figure);
  return std::abs(found.mean) > kErrors * found.error && std::abs(found.mean) > matters * std::abs(found.level);
}

template <class Figure>
double left_of(const std::vector<WindowParts>& windows, Figure&& figure) {
  const Difference found = figure_difference(windows, kLast - 1, figure);
  return found.level == 0 ? 0 : std::max(0.0, std::abs(found.mean) - kLeft * found.error) / found.level;
}

bool part_differs(const std::vector<WindowParts>& windows, std::size_t number) {
  if (figure_differs(windows, number, kMatters, &WindowPart::pace)) return true;
  for (std::size_t operation = 0; operation < kIoOperations; ++operation) {
    WindowPart::Latencies all;
    for (const WindowParts& window : windows) all += window[kLast].latencies[operation];
    if (all.count() == 0) continue;
    const auto mean = [&](const WindowPart& part) { return part.latencies[operation].mean(); };
    if (figure_differs(windows, number, kMatters, mean)) return true;
    for (const double share : kShares) {
      const std::size_t bucket = all.percentile_bucket(share);
      const auto above = [&](const WindowPart& part) { return share_above(part.latencies[operation], bucket); };
      if (figure_differs(windows, number, kMatters, above)) return true;
    }
  }
  return false;
}

}  // namespace

PartEnds window_parts(std::uint64_t length) {
  PartEnds ends;
  for (std::size_t part = 0; part < kWindowParts; ++part)
    ends[part] = std::max<std::uint64_t>(length >> (kLast - part), 1);
  return ends;
}

std::size_t steady_from(const std::vector<WindowParts>& windows) {
  std::size_t from = kLast;
  while (from > 1 && !part_differs(windows, from - 1)) --from;
  return from;
}

LeftOfBegin left_of_begin(const std::vector<WindowParts>& windows) {
  LeftOfBegin left{.pace = left_of(windows, &WindowPart::pace)};
  for (std::size_t operation = 0; operation < kIoOperations; ++operation)
    left.latency[operation] =
        left_of(windows, [operation](const WindowPart& part) { return part.latencies[operation].mean(); });
  return left;
}

bool still_changes(const std::vector<WindowParts>& windows) {
  constexpr double kOnePercent = 0.01;
  return figure_differs(windows, kLast - 1, kOnePercent, &WindowPart::pace);
}

}  // namespace flashloom
