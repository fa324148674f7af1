// The name of a file that is to be written whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace flashloom {

/// Whoever writes the file writes part(), which becomes `path` by commit() and goes with this object without: nobody
/// ever sees half a file.
class PartFile {
 public:
  explicit PartFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}
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

 private:
  std::string path_;
  std::string part_;
  bool committed_ = false;
};

}  // namespace flashloom
