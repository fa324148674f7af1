// Options of `flashloom fit`.
#pragma once

#include <cstdint>
#include <string>

namespace flashloom {

struct CommandEntry;

struct FitOptions {
  std::string file{};      ///< fit.toml (docs/fit.md)
  std::string out{};       ///< folder for what comes of it; empty: what the file says
  std::uint64_t jobs = 0;  ///< runs at a time; 0: one a core
  bool check = false;      ///< read and check, run nothing
  bool quiet = false;
};

extern const CommandEntry kFitCommand;

}  // namespace flashloom
