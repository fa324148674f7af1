#include "workloads/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

/// The command line of a process, with spaces between its arguments; empty if it cannot be read.
std::string command_of(std::uint64_t process) {
  constexpr std::size_t kLongest = 200;
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

/// " (process 123: flashloom run ...)": the holder of the file's lock according to /proc/locks; empty if not listed.
/// A line there is "1: FLOCK  ADVISORY  WRITE 123 08:01:4711 0 EOF": device in hexadecimal, inode in decimal digits.
std::string holder(int file) {
  struct stat there {};
  if (::fstat(file, &there) != 0) return "";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, strictness, access, inode;
    std::uint64_t process = 0;
    if (!(words >> number >> kind >> strictness >> access >> process >> inode) || kind != "FLOCK") continue;
    const std::string wanted = fmt::format("{:02x}:{:02x}:{}", major(there.st_dev), minor(there.st_dev), there.st_ino);
    if (process == 0 || inode != wanted) continue;
    const std::string command = command_of(process);
    return " (process " + std::to_string(process) + (command.empty() ? "" : ": " + command) + ")";
  }
  return "";
}

}  // namespace

FileLock FileLock::of_folder(const std::string& path) {
  FileLock lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  lock.take(path);
  return lock;
}

FileLock FileLock::of_part(const std::string& part, const std::string& path) {
  for (;;) {
    FileLock lock(::open(part.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (lock.file_ < 0 && errno == ELOOP && ::unlink(part.c_str()) == 0) continue;  // a link to someone's file
    if (lock.file_ < 0 && (errno == ENOSPC || errno == EDQUOT))
      throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
    lock.take(path);
    if (lock.file_ < 0 || lock.is(part)) return lock;  // else its owner renamed or removed it before the lock was taken
  }
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

void FileLock::take(const std::string& path) const {
  if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw WorkloadError(path, 0, "another process is writing it" + holder(file_));
}

bool FileLock::is(const std::string& path) const {
  struct stat own {};
  struct stat there {};
  return ::fstat(file_, &own) == 0 && ::stat(path.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

}  // namespace flashloom
