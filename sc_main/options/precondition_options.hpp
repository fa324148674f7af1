// Options of `flashloom precondition`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace flashloom {

struct PreconditionOptions {
  std::string device;
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::string state{};    ///< file to write
  bool compress = false;  ///< its large tables, too
  bool quiet = false;
};

/// The same as CLI11 collects them.
struct RawPreconditionOptions {
  PreconditionOptions precondition;
  std::string seed;
};

/// Adds the command.
CLI::App* add_precondition(CLI::App& app, RawPreconditionOptions& raw);

/// Checks them. Throws UsageError.
PreconditionOptions checked_precondition(const RawPreconditionOptions& raw);

}  // namespace flashloom
