#include "workloads/descriptor_buffer.hpp"

#include <unistd.h>

#include <cerrno>

namespace flashloom {
namespace {

constexpr std::size_t kWriteBlock = std::size_t{64} << 10;

}  // namespace

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor), block_(kWriteBlock) {
  if (descriptor_ < 0) error_ = EBADF;
  setp(block_.data(), block_.data() + block_.size());
}

DescriptorBuffer::~DescriptorBuffer() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool DescriptorBuffer::put(const char* from, std::size_t size) {
  while (size != 0 && error_ == 0) {
    const ssize_t n = ::write(descriptor_, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n == 0 ? EIO : errno;
      break;
    }
    from += n;
    size -= static_cast<std::size_t>(n);
    written_ += static_cast<std::uint64_t>(n);
  }
  return error_ == 0;
}

bool DescriptorBuffer::flush() {
  const bool good = put(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(block_.data(), block_.data() + block_.size());
  return good;
}

bool DescriptorBuffer::close() {
  bool good = flush();
  // Some file systems report a full disk only when the file is closed.
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    error_ = errno;
    good = false;
  }
  return good;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (!flush()) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

std::streamsize DescriptorBuffer::xsputn(const char* from, std::streamsize size) {
  if (size < epptr() - pptr()) {
    traits_type::copy(pptr(), from, static_cast<std::size_t>(size));
    pbump(static_cast<int>(size));
    return size;
  }
  return flush() && put(from, static_cast<std::size_t>(size)) ? size : 0;
}

int DescriptorBuffer::sync() { return flush() ? 0 : -1; }

}  // namespace flashloom
