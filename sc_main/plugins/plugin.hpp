// Parts in shared objects: policies and trace formats that register themselves when their file is loaded.
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

/// Loads a shared object that was built with the CMake target Flashloom::plugin: its parts are then like those of the
/// program. It stays loaded. Throws PluginError: no such file, no plug-in, one for another interface or compiler (found before
/// any of its code runs), a part of a name that is taken, symbols that the program does not have.
void load_plugin(const std::string& path);

/// In the order in which they were loaded.
const std::vector<LoadedPlugin>& loaded_plugins();

}  // namespace flashloom
