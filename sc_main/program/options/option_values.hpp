// Parsers for the values of options that several commands have.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace flashloom {

/// An invalid command line; what() names the option.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Adds --set.
void add_overrides(CLI::App& app, std::vector<std::string>& overrides);

/// Validator for CLI11: returns an error message for the empty path of an output (as of an unset shell variable), with
/// which the command would silently write nothing; else "".
std::string named_path(const std::string& path);

/// A whole number >= `minimum`. Throws UsageError, which names the option.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum);
/// A size within bounds, in bytes. Throws UsageError, which names the option.
std::uint64_t parse_byte_count(const std::string& option, const std::string& text, std::uint64_t least,
                               std::uint64_t most);
/// The pieces between commas, at least one; they may be empty.
std::vector<std::string> split_at_commas(const std::string& text);
/// A relative error, as "2 %": more than 0, less than 1. Throws UsageError, which names the option.
double parse_relative_error(const std::string& option, const std::string& text);
/// Throws UsageError if --io-log has an unknown form, or --out gives no folder for it.
void check_io_log(const std::string& form, const std::string& out);

}  // namespace flashloom
