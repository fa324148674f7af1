// JSON as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace flashloom {

/// `json` as UTF-8: in one line, or with an indent of so many spaces. Names of files and jobs can be any bytes: U+FFFD
/// stands for those that are not UTF-8.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace flashloom
