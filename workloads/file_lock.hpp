// A lock that lets only one process at a time write a file or folder.
#pragma once

#include <string>
#include <utility>

namespace flashloom {

/// An flock(2) lock, held until the object is destroyed or its process ends in any way. On a file system without such
/// locks it excludes nobody. The error that another process gets names the holder if /proc shows it.
class FileLock {
 public:
  /// Locks nothing.
  FileLock() = default;
  /// Throws WorkloadError, which names `path`, if another process holds the lock. A folder that cannot be opened is not
  /// locked.
  static FileLock of_folder(const std::string& path);
  /// Locks the file `part`, which will become `path`; creates it if missing, and does not change its content. Throws
  /// WorkloadError, which names `path`, if another process holds the lock, and std::runtime_error if the disk is full.
  /// A file that cannot be opened is not locked.
  static FileLock of_part(const std::string& part, const std::string& path);

  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  void take(const std::string& path) const;
  bool is(const std::string& path) const;

  int file_ = -1;  // descriptor; -1: none
};

}  // namespace flashloom
