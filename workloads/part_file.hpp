// A file that is written whole or not at all.
#pragma once

#include <cstddef>
#include <fstream>
#include <ostream>
#include <string>

#include "workloads/file_lock.hpp"

namespace flashloom {

/// Writes PATH.part. commit() renames it to PATH; an object that goes without commit() removes it. So nobody ever sees
/// half a file, nor one that two processes wrote.
class PartFile {
 public:
  /// Throws WorkloadError if another process is writing the file, std::runtime_error if the disk is full. For any other
  /// reason why it cannot be opened there is open_error().
  explicit PartFile(std::string path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& path() const { return path_; }
  /// The errno with which the file could not be opened; 0: it is open.
  int open_error() const { return open_error_; }
  /// What is written here is checked by commit().
  std::ostream& out() { return file_; }
  /// Throws std::runtime_error if the bytes cannot be written.
  void write(const void* data, std::size_t size);
  /// Closes the file and gives it its name. Throws std::runtime_error if anything could not be written,
  /// std::filesystem::filesystem_error if the file cannot be renamed.
  void commit();
  /// Throws std::runtime_error: something could not be written, which is no fault of any input.
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  std::string part_;
  FileLock lock_;
  std::ofstream file_;
  int open_error_;
  bool committed_ = false;
};

}  // namespace flashloom
