// What options of several commands have in common: how their values are read.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace flashloom {

/// A command line that makes no sense; what() names the option.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Adds --set.
void add_overrides(CLI::App& app, std::vector<std::string>& overrides);

/// For what a command writes: an empty name, of a variable that is not set, would write nothing without a word.
std::string named_path(const std::string& path);

/// A whole number >= `minimum`. Throws UsageError, which names the option.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum);
/// A size within bounds, in bytes. Throws UsageError, which names the option.
std::uint64_t parse_byte_count(const std::string& option, const std::string& text, std::uint64_t least,
                               std::uint64_t most);
/// Throws UsageError unless --io-log has a form, and --out a folder for it.
void check_io_log(const std::string& form, const std::string& out);

}  // namespace flashloom
