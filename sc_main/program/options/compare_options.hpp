// Options of `flashloom compare`.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

struct CompareOptions {
  std::vector<std::string> results{};  ///< folders of `run --out`, or files result.json; two or more
  bool json = false;
  std::string html{};  ///< page to write; empty: none
};

extern const CommandEntry kCompareCommand;

}  // namespace flashloom
