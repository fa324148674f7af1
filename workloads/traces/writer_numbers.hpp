// Numbers the files and processes that a trace names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "workloads/traces/fields.hpp"

namespace flashloom {

/// Numbers names from 1 in the order in which they appear, for Request::writer.
class WriterNumbers {
 public:
  WriterNumbers() = default;
  WriterNumbers(const WriterNumbers&) = delete;
  WriterNumbers& operator=(const WriterNumbers&) = delete;

  /// 0 for no name. Throws FieldError for more than 65,535 names.
  std::uint16_t number_of(std::string_view name) {
    if (name.empty()) return 0;
    if (last_ != numbers_.end() && last_->first == name) return last_->second;  // often the name does not change
    last_ = numbers_.find(name);
    if (last_ != numbers_.end()) return last_->second;
    if (numbers_.size() == 65535) throw FieldError("more than 65,535 files or processes");
    last_ = numbers_.emplace(name, static_cast<std::uint16_t>(numbers_.size() + 1)).first;
    return last_->second;
  }

 private:
  using Numbers = std::map<std::string, std::uint16_t, std::less<>>;
  Numbers numbers_;
  Numbers::const_iterator last_ = numbers_.end();
};

}  // namespace flashloom
