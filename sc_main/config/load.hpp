// A device file from disk, with its overrides, to a checked DeviceConfig.
#pragma once

#include <string>
#include <vector>

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/document.hpp"
#include "sc_main/config/reader.hpp"

namespace flashloom {

struct LoadedConfig {
  DeviceConfig device;
  std::string file;                    ///< basename of the device file
  std::string hash;                    ///< FNV-1a 64 of its bytes and those of its base, 16 hexadecimal digits
  std::vector<std::string> overrides;  ///< as given: "nand.channels=8"
  ConfigOrigins origins{{}};           ///< where each key was written
};

/// Reads, overrides and validates. Throws ConfigError: "file:line: key: message"; also where nothing is described.
LoadedConfig load_config(const std::string& path, const std::vector<std::string>& overrides = {});
/// The same of a text; `name` stands for the file in messages.
LoadedConfig load_config_text(const std::string& text, const std::string& name,
                              const std::vector<std::string>& overrides = {});

/// A whole text file, or pipe, of 64 MiB at most. Throws ConfigError; `what` it should be, as "device file".
std::string read_text_file(const std::string& path, const std::string& what);

/// The device file that an argument means: a path to a file, or the bare name of a preset, looked for in the folders of
/// $FLASHLOOM_CONFIGS (with ':' between them), in ./configs, in a configs folder beside or above the running program, and in
/// those that were added. Throws ConfigError that lists the presets, and where they were looked for.
std::string find_device_file(const std::string& argument);
/// Presets are looked for there, too, last of all.
void add_preset_folder(const std::string& folder);
/// The folders that presets are looked for in, nearest first: "/a, /b", for a message.
std::string preset_folders_searched();
/// Preset files that find_device_file would find by name, in alphabetical order of their names.
std::vector<std::string> preset_files();

}  // namespace flashloom
