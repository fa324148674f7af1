#include "sc_main/program/options/option_values.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "sc_main/assembly/config/quantity.hpp"

namespace flashloom {

std::string named_path(const std::string& path) { return path.empty() ? "is empty; say which file or folder" : ""; }

void add_overrides(CLI::App& app, std::vector<std::string>& overrides) {
  app.add_option("--set", overrides, "override a key of the device file, as nand.channels=8; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum) {
  constexpr std::uint64_t kLargest = INT64_MAX;
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || value < minimum || value > kLargest)
    throw UsageError(option + ": \"" + text + "\" is no whole number; valid: " + std::to_string(minimum) + " .. " +
                     std::to_string(kLargest));
  return value;
}

std::uint64_t parse_byte_count(const std::string& option, const std::string& text, std::uint64_t least,
                               std::uint64_t most) {
  std::uint64_t bytes = 0;
  try {
    bytes = parse_exact(Quantity::Bytes, text);
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
  if (bytes < least || bytes > most)
    throw UsageError(option + ": \"" + text + "\" is out of range; valid: " + format_exact(Quantity::Bytes, least) +
                     " .. " + format_exact(Quantity::Bytes, most));
  return bytes;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

double parse_relative_error(const std::string& option, const std::string& text) {
  try {
    if (const double error = parse_real(Quantity::Ratio, text); error > 0 && error < 1) return error;
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
  throw UsageError(option + ": " + text + " is out of range; valid: more than 0 %, less than 100 %");
}

void check_io_log(const std::string& form, const std::string& out) {
  if (!form.empty() && form != "binary" && form != "csv" && form != "both")
    throw UsageError("--io-log: \"" + form + "\" is none of binary, csv, both");
  if (!form.empty() && out.empty()) throw UsageError("--io-log: writes into the folder of --out; there is none");
}

}  // namespace flashloom
