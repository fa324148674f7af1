// Options of `flashloom fit`.
#pragma once

#include <cstdint>
#include <string>

namespace flashloom {

struct CommandEntry;

struct FitOptions {
  std::string file{};      ///< fit.toml (docs/how-to/fit.md)
  std::string out{};       ///< folder for the results; empty: the folder in the file
  std::uint64_t jobs = 0;  ///< runs in parallel; 0: one per core
  bool check = false;      ///< read and check, run nothing
  bool plan = false;       ///< say what the measurements can tell, fit nothing
  bool blind = false;      ///< do not compare predictions with what was left out
  bool quiet = false;
};

extern const CommandEntry kFitCommand;

}  // namespace flashloom
