// How the owner of a device file table rejects it: the check is next to the struct that the table fills.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace flashloom {

/// A number of bytes, a time or a power in a message; formatted with its unit when shown.
struct MessageBytes {
  std::uint64_t value;
};
struct MessageTime {
  std::uint64_t value;  ///< ps
};
struct MessagePower {
  double value;  ///< W
};
using MessagePart = std::variant<std::string, std::uint64_t, double, MessageBytes, MessageTime, MessagePower>;

/// A key of the device file whose value cannot be used; the message says what would be valid.
class ConfigProblem : public std::exception {
 public:
  ConfigProblem(std::string key, std::vector<MessagePart> message)
      : key_(std::move(key)), message_(std::move(message)) {}
  const char* what() const noexcept override { return key_.c_str(); }
  const std::string& key() const { return key_; }
  const std::vector<MessagePart>& message() const { return message_; }

 private:
  std::string key_;
  std::vector<MessagePart> message_;
};

/// Throws ConfigProblem unless `valid`. `parts` make up the message: texts, numbers, MessageBytes, MessageTime, MessagePower.
template <class... Parts>
void require(bool valid, const std::string& key, const Parts&... parts) {
  const auto part = [](const auto& value) -> MessagePart {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_integral_v<Value>)
      return std::uint64_t{value};
    else
      return value;
  };
  if (!valid) throw ConfigProblem(key, {part(parts)...});
}

}  // namespace flashloom
