// A file that is written whole or not at all, compressed according to the end of its name.
#pragma once

#include <boost/iostreams/filtering_stream.hpp>
#include <cstdint>
#include <ostream>
#include <string>

#include "workloads/part_file.hpp"

namespace flashloom {

/// Writes a PartFile, compressed if its name ends in .gz, .zst, .xz or .bz2.
class FileSink {
 public:
  /// Throws WorkloadError if the file cannot be created or another process is writing it.
  explicit FileSink(std::string path);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink();

  std::ostream& out() { return out_; }
  /// See PartFile.
  bool to_stdout() const { return file_.to_stdout(); }
  /// Bytes in the file, after commit().
  std::uint64_t size() const { return file_.size(); }
  /// Closes and renames the file. Throws std::runtime_error if anything could not be written, WorkloadError if the file
  /// cannot be renamed.
  void commit();

 private:
  PartFile file_;
  boost::iostreams::filtering_ostream out_;
};

}  // namespace flashloom
