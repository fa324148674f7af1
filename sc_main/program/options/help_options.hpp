// Options of the commands about the program itself: `flashloom help`, `version` and `completion`.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

/// A text that the program prints before it ends successfully: --help, --version, `flashloom help`.
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

/// flashloom __complete WORDS...: called by the scripts of `flashloom completion`
struct CompleteOptions {
  std::vector<std::string> words{};  ///< words after the program's name; the last one is being typed
};

/// flashloom __check: called by a study's dry run
struct CheckDevicesOptions {};

extern const CommandEntry kHelpCommand;
extern const CommandEntry kVersionCommand;
extern const CommandEntry kCompletionCommand;
extern const CommandEntry kCompleteCommand;
extern const CommandEntry kCheckCommand;

}  // namespace flashloom
