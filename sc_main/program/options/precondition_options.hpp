// Options of `flashloom precondition`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

struct PreconditionOptions {
  std::string device;
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::string state{};    ///< file to write
  bool compress = false;  ///< compress the large tables, too
  bool quiet = false;
};

extern const CommandEntry kPreconditionCommand;

}  // namespace flashloom
