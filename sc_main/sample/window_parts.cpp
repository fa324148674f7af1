#include "sc_main/sample/window_parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace flashloom {
namespace {

constexpr std::size_t kLast = kWindowParts - 1;
constexpr double kErrors = 3;        // standard errors
constexpr double kMatters = 0.002;  // of the value
constexpr double kShares[] = {0.5, 0.95};

// Means of a figure of a part and of the last one, and of their difference over its standard error.
bool differs(const std::vector<double>& part, const std::vector<double>& last, double matters) {
  const auto n = static_cast<double>(part.size());
  double mean = 0;
  double level = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    mean += (part[i] - last[i]) / n;
    level += last[i] / n;
  }
  double squares = 0;
  for (std::size_t i = 0; i < part.size(); ++i) squares += std::pow(part[i] - last[i] - mean, 2);
  const double error = n < 2 ? 0 : std::sqrt(squares / (n - 1) / n);
  return std::abs(mean) > kErrors * error && std::abs(mean) > matters * std::abs(level);
}

double share_above(const WindowPart::Latencies& latencies, std::size_t bucket) {
  const auto all = static_cast<double>(latencies.count());
  return all == 0 ? 0 : 1 - static_cast<double>(latencies.count_to(bucket)) / all;
}

// A figure of a part, and of the last one, by window.
template <class Figure>
bool figure_differs(const std::vector<WindowParts>& windows, std::size_t number, double matters, Figure&& figure) {
  std::vector<double> part;
  std::vector<double> last;
  for (const WindowParts& window : windows) {
    part.push_back(std::invoke(figure, window[number]));
    last.push_back(std::invoke(figure, window[kLast]));
  }
  return differs(part, last, matters);
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

bool still_changes(const std::vector<WindowParts>& windows) {
  constexpr double kOnePercent = 0.01;
  return figure_differs(windows, kLast - 1, kOnePercent, &WindowPart::pace);
}

}  // namespace flashloom
