// Options of the commands that tell of the program itself: `flashloom help`, `version` and `completion`.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

/// Text to print and stop with success: --help, --version, `flashloom help`.
struct InformationText {
  std::string text;
};

/// flashloom version
struct VersionOptions {
  bool json = false;
};

/// flashloom completion
struct CompletionOptions {
  std::string shell{};  ///< bash, zsh, fish
};

/// flashloom __complete WORDS...: what the scripts of `flashloom completion` ask
struct CompleteOptions {
  std::vector<std::string> words{};  ///< behind the program's name; the last one is being typed
};

/// flashloom __check: what a study's dry run asks
struct CheckDevicesOptions {};

inline constexpr const char* kCheckCommand = "__check";
inline constexpr const char* kCompleteCommand = "__complete";

extern const CommandEntry kHelpCommand;
extern const CommandEntry kVersionCommand;
extern const CommandEntry kCompletionCommand;

}  // namespace flashloom
