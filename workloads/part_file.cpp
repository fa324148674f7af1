#include "workloads/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "workloads/interruption.hpp"

namespace flashloom {

PartFile::PartFile(std::string path)
    : path_(std::move(path)),
      to_(OutputPath::of(path_)),
      part_(to_.through ? std::string() : to_.file + ".part"),
      lock_(to_.through ? FileLock() : FileLock::of_part(part_, path_)),
      buffer_(open()),
      out_(&buffer_) {}

PartFile::~PartFile() {
  std::error_code ignored;
  if (!committed_ && !part_.empty()) std::filesystem::remove(part_, ignored);
}

int PartFile::open() {
  constexpr mode_t kMode = 0666;
  for (;;) {
    const int file = to_.descriptor >= 0 ? ::fcntl(to_.descriptor, F_DUPFD_CLOEXEC, 0)
                     : to_.through
                         ? ::open(to_.file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC)
                         : ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (file >= 0) return file;
    if (errno != EINTR) break;
    give_up_if_interrupted();  // open() of a FIFO blocks until it has a reader
  }
  open_error_ = errno;
  return -1;
}

bool PartFile::to_stdout() const { return to_.descriptor == STDOUT_FILENO; }

void PartFile::write(const void* data, std::size_t size) {
  if (open_error_ != 0 || !out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size))) fail();
}

void PartFile::commit() {
  if (!buffer_.close()) fail();
  if (!part_.empty()) std::filesystem::rename(part_, to_.file);
  committed_ = true;
}

void PartFile::fail() const {
  const int error = open_error_ != 0 ? open_error_ : buffer_.error();
  std::string why = path_ + ": could not be written whole";
  if (error != 0) why.append(": ").append(std::strerror(error));
  throw std::runtime_error(why);
}

}  // namespace flashloom
