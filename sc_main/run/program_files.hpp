// Files that belong to the program, and folders that it makes for itself.
#pragma once

#include <string>

namespace flashloom {

/// A part of Flashloom that is built beside the program. Throws std::runtime_error, which ends with `remedy`, if it is
/// not there.
std::string beside_program(const std::string& name, const std::string& remedy = "build all of flashloom");

/// A new folder in $TMPDIR, as long as this object is there.
class TemporaryFolder {
 public:
  /// Its name begins with `prefix`. Throws std::system_error, which names it.
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace flashloom
