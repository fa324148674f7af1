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

/// Writes PATH.part. commit() renames it to PATH; the destructor removes it if commit() was not called. So PATH is
/// never half written, nor written by two processes. Symbolic links are followed, and stay. A device, a FIFO or an open
/// descriptor (/dev/stdout) is written directly; "-" is the standard output.
class PartFile {
 public:
  /// Throws WorkloadError if another process is writing the file, std::runtime_error if the disk is full. open_error()
  /// reports any other reason why it cannot be opened.
  explicit PartFile(std::string path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& path() const { return path_; }
  /// Whether the bytes go to this process's standard output, so that nothing else may be printed there.
  bool to_stdout() const;
  /// The errno with which the file could not be opened; 0: it is open.
  int open_error() const { return open_error_; }
  /// commit() reports failed writes to this stream.
  std::ostream& out() { return out_; }
  /// Bytes written so far.
  std::uint64_t size() const { return buffer_.size(); }
  /// Throws std::runtime_error if the bytes cannot be written.
  void write(const void* data, std::size_t size);
  /// Closes the file and renames it. Throws std::runtime_error if anything could not be written,
  /// std::filesystem::filesystem_error if the file cannot be renamed.
  void commit();
  /// Throws std::runtime_error for a failed write (not WorkloadError, since no input is at fault).
  [[noreturn]] void fail() const;

 private:
  int open();

  std::string path_;
  OutputPath to_;
  std::string part_;  // empty: written directly
  FileLock lock_;
  int open_error_ = 0;
  DescriptorBuffer buffer_;
  std::ostream out_;
  bool committed_ = false;
};

}  // namespace flashloom
