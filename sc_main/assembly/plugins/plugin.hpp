// Plug-ins: shared objects with policies and trace formats that register themselves when they are loaded.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace flashloom {

/// A plug-in that cannot be used; what() names the file and says why.
class PluginError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LoadedPlugin {
  std::string file;  ///< without folders
  std::string hash;  ///< of its content
};

/// Loads a shared object that was built with the CMake target Flashloom::plugin, and keeps it loaded; its parts can
/// then be used like those of the program. Throws PluginError if the file is missing, is no plug-in or one for another
/// interface or compiler (checked before any of its code runs), has a part whose name is taken, or needs symbols that
/// are missing.
void load_plugin(const std::string& path);

/// In the order in which they were loaded.
const std::vector<LoadedPlugin>& loaded_plugins();

}  // namespace flashloom
