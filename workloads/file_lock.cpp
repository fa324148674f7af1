#include "workloads/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "workloads/workload_error.hpp"

namespace flashloom {

FileLock FileLock::of_folder(const std::string& path) {
  FileLock lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  lock.take(path);
  return lock;
}

FileLock FileLock::of_part(const std::string& part, const std::string& path) {
  for (;;) {
    FileLock lock(::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (lock.file_ < 0 && (errno == ENOSPC || errno == EDQUOT))
      throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
    lock.take(path);
    if (lock.file_ < 0 || lock.is(part)) return lock;  // else it was renamed or removed by its owner in between
  }
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

void FileLock::take(const std::string& path) const {
  if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw WorkloadError(path, 0, "another process is writing it");
}

bool FileLock::is(const std::string& path) const {
  struct stat own {};
  struct stat there {};
  return ::fstat(file_, &own) == 0 && ::stat(path.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

}  // namespace flashloom
