#include "policies/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace flashloom {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> above(b.size() + 1);   // row i - 1
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       std::size_t limit) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    const bool contained =
        name.size() >= 3 && candidate.size() >= 3 &&
        (candidate.find(name) != std::string::npos || name.find(candidate) != std::string_view::npos);
    if (distance <= allowed || contained) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near)
    if (names.size() < limit) names.push_back(std::move(candidate));
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = nearest_names(name, candidates, 1);
  return near.empty() ? "" : " (did you mean \"" + near.front() + "\"?)";
}

std::string join_nearest(std::string_view name, const std::vector<std::string>& candidates, const std::string& more) {
  constexpr std::size_t kMost = 10;
  if (candidates.size() <= kMost) return join_names(candidates);
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const std::string& candidate : candidates) sorted.emplace_back(edit_distance(name, candidate), candidate);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kMost; ++i) names.push_back(sorted[i].second);
  return join_names(names) + " and " + std::to_string(candidates.size() - kMost) + " more: " + more;
}

std::string join_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace flashloom
