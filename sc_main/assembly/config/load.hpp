// Reads a device file with its overrides into a checked DeviceConfig.
#pragma once

#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/give_way.hpp"
#include "sc_main/assembly/config/reader.hpp"

namespace flashloom {

struct LoadedConfig {
  DeviceConfig device;
  std::string file;                    ///< basename of the device file
  std::string hash;                    ///< FNV-1a 64 of its bytes and those of its base, 16 hexadecimal digits
  std::vector<std::string> overrides;  ///< as given: "nand.channels=8"
  DroppedValues dropped{};             ///< values that gave way to a choice above them
  ConfigOrigins origins{{}};           ///< where each key was written
};

/// Reads a device file, applies the overrides and validates it. Throws ConfigError: "file:line: key: message"; also if
/// neither the file nor an override sets a key.
LoadedConfig load_config(const std::string& path, const std::vector<std::string>& overrides = {});
/// The same for a text; `name` stands for the file in messages.
LoadedConfig load_config_text(const std::string& text, const std::string& name,
                              const std::vector<std::string>& overrides = {});

/// Reads a whole text file or pipe of at most 64 MiB. Throws ConfigError; `what`: its kind for the message, as "device
/// file".
std::string read_text_file(const std::string& path, const std::string& what);

/// The device file of an argument: a path, or the bare name of a preset, which is searched for in the folders of
/// $FLASHLOOM_CONFIGS (separated by ':'), in ./configs, in a configs folder beside or above the running program, and in
/// added folders. Throws ConfigError that lists the presets and the folders searched.
std::string find_device_file(const std::string& argument);
/// Adds a folder for presets, which is searched last.
void add_preset_folder(const std::string& folder);
/// The folders searched for presets, in order: "/a, /b", for a message.
std::string preset_folders_searched();
/// Preset files that find_device_file would find by name, in alphabetical order of their names.
std::vector<std::string> preset_files();

}  // namespace flashloom
