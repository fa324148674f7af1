// A file or folder that one process writes at a time.
#pragma once

#include <string>
#include <utility>

namespace flashloom {

/// Held until it goes, or its process ends, however: flock(2). A file system without such locks keeps nobody out. Who is
/// kept out learns who holds it, where /proc tells.
class FileLock {
 public:
  /// Of nothing.
  FileLock() = default;
  /// Throws WorkloadError, which names `path`, if another process has it. A folder that cannot be opened is not held.
  static FileLock of_folder(const std::string& path);
  /// Makes the file if it is not there, and leaves what is in it. Throws WorkloadError as above, about `path`, for
  /// which `part` stands, and std::runtime_error if the disk is full; a file that cannot be opened is not held.
  static FileLock of_part(const std::string& part, const std::string& path);

  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  void take(const std::string& path) const;
  bool is(const std::string& path) const;

  int file_ = -1;  // none
};

}  // namespace flashloom
