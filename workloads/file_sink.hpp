// A file that is written whole or not at all, compressed as its name says.
#pragma once

#include <boost/iostreams/filtering_stream.hpp>
#include <cstdint>
#include <ostream>
#include <string>

#include "workloads/part_file.hpp"

namespace flashloom {

/// A PartFile; a name that ends in .gz, .zst, .xz or .bz2 is compressed.
class FileSink {
 public:
  /// Throws WorkloadError: the file cannot be made, or another process is writing it.
  explicit FileSink(std::string path);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink();

  std::ostream& out() { return out_; }
  /// See PartFile.
  bool to_stdout() const { return file_.to_stdout(); }
  /// Bytes in the file, after commit().
  std::uint64_t size() const { return file_.size(); }
  /// Closes and renames. Throws std::runtime_error if anything could not be written, WorkloadError if the file cannot
  /// be put in place.
  void commit();

 private:
  PartFile file_;
  boost::iostreams::filtering_ostream out_;
};

}  // namespace flashloom
