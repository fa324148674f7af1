// Suggestions for mistyped names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flashloom {

/// Characters inserted, deleted, replaced, or neighbours swapped (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidates that `name` was probably meant to be, best first, at most `limit`; empty if nothing is near.
/// Near: at most a third of the longer name wrong, or one contains the other (three letters at least).
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       std::size_t limit = 3);

/// " (did you mean \"NAME\"?)", of the nearest candidate; empty if nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// ", "-separated, the nearest to `name` first and ten at most; then " and N more: WHERE", `more` being where they are. Ten
/// or fewer stay in their order.
std::string join_nearest(std::string_view name, const std::vector<std::string>& candidates, const std::string& more);

/// "a, b, c".
std::string join_names(const std::vector<std::string>& names);

}  // namespace flashloom
