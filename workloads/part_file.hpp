// A file that is written whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "workloads/descriptor_buffer.hpp"
#include "workloads/file_lock.hpp"
#include "workloads/output_path.hpp"

namespace flashloom {

/// Writes PATH.part. commit() renames it to PATH; an object that goes without commit() removes it. So nobody ever sees
/// half a file, nor one that two processes wrote. A symbolic link is followed, and stays. What is no regular file is
/// written through: a device, a FIFO, an open descriptor (/dev/stdout); "-" is the standard output.
class PartFile {
 public:
  /// Throws WorkloadError if another process is writing the file, std::runtime_error if the disk is full. For any other
  /// reason why it cannot be opened there is open_error().
  explicit PartFile(std::string path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& path() const { return path_; }
  /// The bytes go to this process's standard output: nothing else may.
  bool to_stdout() const;
  /// The errno with which the file could not be opened; 0: it is open.
  int open_error() const { return open_error_; }
  /// What is written here is checked by commit().
  std::ostream& out() { return out_; }
  /// Bytes so far.
  std::uint64_t size() const { return buffer_.size(); }
  /// Throws std::runtime_error if the bytes cannot be written.
  void write(const void* data, std::size_t size);
  /// Closes the file and gives it its name. Throws std::runtime_error if anything could not be written,
  /// std::filesystem::filesystem_error if the file cannot be renamed.
  void commit();
  /// Throws std::runtime_error: something could not be written, which is no fault of any input.
  [[noreturn]] void fail() const;

 private:
  int open();

  std::string path_;
  OutputPath to_;
  std::string part_;  // empty: written through
  FileLock lock_;
  int open_error_ = 0;
  DescriptorBuffer buffer_;
  std::ostream out_;
  bool committed_ = false;
};

}  // namespace flashloom
