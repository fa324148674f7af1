// Files installed with the program, and temporary folders.
#pragma once

#include <string>

namespace flashloom {

/// Path of a file that is built or installed with the program. Throws std::runtime_error, whose message ends with
/// `remedy`, if it is missing.
std::string beside_program(const std::string& name, const std::string& remedy = "build all of flashloom");

/// A new folder in $TMPDIR, removed with this object.
class TemporaryFolder {
 public:
  /// The folder's name begins with `prefix`. Throws std::system_error, which names the path.
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace flashloom
