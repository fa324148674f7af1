// What the value of an option may be, by the option's type as --help shows it: for the completion of command lines.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct Completion {
  struct Candidate {
    std::string value;  ///< the whole word
    std::string help{};
  };
  std::vector<Candidate> candidates{};
  bool open = false;     ///< they may go on: no space behind them
  bool files = false;    ///< any file, too
  bool folders = false;  ///< any folder, too

  /// Adds it if it begins as `word` does.
  void offer(const std::string& word, const std::string& value, const std::string& help = {});
};

/// How `word`, of a value of type `type` ("DEVICE.toml", "csv|json"), may go on. Throws std::logic_error for a type that
/// is not known.
Completion complete_value(const std::string& type, const std::string& word);

}  // namespace flashloom
