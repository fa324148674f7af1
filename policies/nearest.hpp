// Suggestions for mistyped names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flashloom {

/// Number of insertions, deletions, replacements, and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The most similar candidates, best first, at most `limit`; empty if none is near.
/// Near: at most a third of the longer name wrong, or one contains the other (three letters at least).
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       std::size_t limit = 3);

/// " (did you mean \"NAME\"?)", with the nearest candidate; empty if none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// ", "-separated, the nearest to `name` first and at most ten; then " and N more: WHERE", with `more` as WHERE. Up to
/// ten candidates stay in their order.
std::string join_nearest(std::string_view name, const std::vector<std::string>& candidates, const std::string& more);

/// "a, b, c".
std::string join_names(const std::vector<std::string>& names);

}  // namespace flashloom
