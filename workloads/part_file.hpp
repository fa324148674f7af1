// The name of a file that is to be written whole or not at all.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "workloads/file_lock.hpp"

namespace flashloom {

/// Whoever writes the file writes part(), which becomes `path` by commit() and goes with this object without: nobody
/// ever sees half a file, nor one that two processes wrote.
class PartFile {
 public:
  /// Throws WorkloadError if another process is writing the file, std::runtime_error if the disk is full. Any other
  /// reason why it cannot be written is found by who opens it.
  explicit PartFile(std::string path)
      : path_(std::move(path)), part_(path_ + ".part"), lock_(FileLock::of_part(part_, path_)) {}
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    std::error_code ignored;
    if (!committed_) std::filesystem::remove(part_, ignored);
  }

  const std::string& path() const { return path_; }
  const std::string& part() const { return part_; }
  /// What was written is closed. Throws std::filesystem::filesystem_error.
  void commit() {
    std::filesystem::rename(part_, path_);
    committed_ = true;
  }
  /// Something could not be written: no fault of any input.
  [[noreturn]] void fail() const {
    throw std::runtime_error(path_ + ": could not be written whole: is the disk full?");
  }

 private:
  std::string path_;
  std::string part_;
  FileLock lock_;
  bool committed_ = false;
};

}  // namespace flashloom
