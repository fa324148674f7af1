// Numbers for the files and processes that a trace names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "workloads/traces/fields.hpp"

namespace flashloom {

/// From 1 on, in the order in which they appear: Request::writer.
class WriterNumbers {
 public:
  /// 0 for no name. Throws FieldError for more than 65,535 names.
  std::uint16_t number_of(std::string_view name) {
    if (name.empty()) return 0;
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    if (numbers_.size() == 65535) throw FieldError("more than 65,535 files or processes");
    const auto number = static_cast<std::uint16_t>(numbers_.size() + 1);
    numbers_.emplace(name, number);
    return number;
  }

 private:
  std::map<std::string, std::uint16_t, std::less<>> numbers_;
};

}  // namespace flashloom
