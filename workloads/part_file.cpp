#include "workloads/part_file.hpp"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace flashloom {

PartFile::PartFile(std::string path)
    : path_(std::move(path)),
      part_(path_ + ".part"),
      lock_(FileLock::of_part(part_, path_)),
      file_(part_, std::ios::binary | std::ios::trunc),
      open_error_(file_ ? 0 : errno) {}

PartFile::~PartFile() {
  std::error_code ignored;
  if (!committed_) std::filesystem::remove(part_, ignored);
}

void PartFile::write(const void* data, std::size_t size) {
  if (!file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size))) fail();
}

void PartFile::commit() {
  file_.close();
  if (!file_) fail();
  std::filesystem::rename(part_, path_);
  committed_ = true;
}

void PartFile::fail() const { throw std::runtime_error(path_ + ": could not be written whole: is the disk full?"); }

}  // namespace flashloom
