// Declared parameters of a swappable part, and the values that configuration gives them.
// Standard library only: this header is shared by policies/, controllers/ and sc_main/.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace flashloom {

/// Physical dimension of a parameter: the unit that its text must have.
enum class Dimension : std::uint8_t {
  None,   ///< plain number
  Time,   ///< "25 us"; value in picoseconds
  Bytes,  ///< "16 KiB"; value in bytes
  Ratio,  ///< 0.07 or "7 %"
};

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

struct ParameterSpec {
  std::string name;
  ParameterValue default_value;  ///< its alternative fixes the parameter's type
  Dimension dimension = Dimension::None;
  double minimum = 0;                ///< inclusive; for numbers
  double maximum = 0;                ///< inclusive; minimum == maximum: unbounded
  std::vector<std::string> choices;  ///< for strings
  std::string help;                  ///< one line
};

/// The values of one part's parameters, complete (defaults filled in) and checked.
class ParameterValues {
 public:
  ParameterValues() = default;
  explicit ParameterValues(std::map<std::string, ParameterValue> values) : values_(std::move(values)) {}
  /// The value of a declared parameter. Throws std::logic_error for one that was never declared.
  template <class T>
  const T& get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::logic_error("undeclared parameter: " + name);
    return std::get<T>(found->second);
  }
  const std::map<std::string, ParameterValue>& all() const { return values_; }

 private:
  std::map<std::string, ParameterValue> values_;
};

/// A part by name, with its parameters as configured.
struct PolicyChoice {
  std::string name;
  ParameterValues parameters;
};

}  // namespace flashloom
