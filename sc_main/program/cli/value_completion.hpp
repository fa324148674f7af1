// Completion of the values of options, by the type of the option as in --help.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct Completion {
  struct Candidate {
    std::string value;  ///< the complete word
    std::string help{};
  };
  std::vector<Candidate> candidates{};
  bool open = false;     ///< candidates may be continued: add no space after them
  bool files = false;    ///< any file is a candidate, too
  bool folders = false;  ///< any folder is a candidate, too

  /// Adds `value` if it begins with `word`.
  void offer(const std::string& word, const std::string& value, const std::string& help = {});
};

/// Completes `word`, the begin of a value of type `type` ("DEVICE.toml", "csv|json"). Throws std::logic_error for an
/// unknown type.
Completion complete_value(const std::string& type, const std::string& word);

}  // namespace flashloom
