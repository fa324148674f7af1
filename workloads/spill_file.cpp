#include "workloads/spill_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace flashloom {
namespace {

std::string spill_folder() {
  const char* const given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

constexpr int kFastest = 1;  // zstd's level

}  // namespace

SpillFile::SpillFile(std::uint32_t longest) : free_(units(longest) + 1), compressed_(longest + kUnit) {}

SpillFile::~SpillFile() {
  if (file_ >= 0) ::close(file_);
  ZSTD_freeCCtx(compressor_);
  ZSTD_freeDCtx(decompressor_);
}

void SpillFile::fail(const char* what, int error) {
  throw std::runtime_error("bytes beyond --data-memory go to a file in " + spill_folder() + ", which " + what + ": " +
                           std::generic_category().message(error) + "; set TMPDIR to a folder with room");
}

void SpillFile::open() {
  compressor_ = ZSTD_createCCtx();
  decompressor_ = ZSTD_createDCtx();
  if (compressor_ == nullptr || decompressor_ == nullptr) throw std::bad_alloc();
  file_ = ::open(spill_folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ >= 0) return;
  if (errno != EOPNOTSUPP && errno != EISDIR) fail("cannot be made", errno);
  std::string name = spill_folder() + "/flashloom-XXXXXX";  // a file system without O_TMPFILE
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) fail("cannot be made", errno);
  ::unlink(name.c_str());
}

SpillFile::Place SpillFile::write(const std::byte* record, std::uint32_t bytes) {
  if (file_ < 0) open();
  const std::size_t size =
      ZSTD_compressCCtx(compressor_, compressed_.data(), compressed_.size(), record, bytes, kFastest);
  const bool smaller = ZSTD_isError(size) == 0 && units(size) < units(bytes);
  Place place;
  place.bytes = static_cast<std::uint16_t>(smaller ? size : bytes);
  std::vector<std::uint64_t>& free = free_[units(place.bytes)];
  const bool again = !free.empty();
  place.unit = again ? free.back() : end_;
  const auto* from = smaller ? compressed_.data() : record;
  for (std::size_t done = 0; done < place.bytes;) {
    const ssize_t n = ::pwrite(file_, from + done, place.bytes - done, static_cast<off_t>(place.unit * kUnit + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot grow", n == 0 ? ENOSPC : errno);
    done += static_cast<std::size_t>(n);
  }
  if (again)
    free.pop_back();
  else
    end_ += units(place.bytes);
  used_ += units(place.bytes);
  return place;
}

void SpillFile::read(const Place& place, std::byte* record, std::uint32_t bytes) {
  const bool smaller = place.bytes != bytes;
  std::byte* const into = smaller ? compressed_.data() : record;
  for (std::size_t done = 0; done < place.bytes;) {
    const ssize_t n = ::pread(file_, into + done, place.bytes - done, static_cast<off_t>(place.unit * kUnit + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be read", n == 0 ? EIO : errno);
    done += static_cast<std::size_t>(n);
  }
  if (smaller && ZSTD_decompressDCtx(decompressor_, record, bytes, into, place.bytes) != bytes)
    fail("has changed", EIO);
}

void SpillFile::release(const Place& place) {
  free_[units(place.bytes)].push_back(place.unit);
  used_ -= units(place.bytes);
}

}  // namespace flashloom
