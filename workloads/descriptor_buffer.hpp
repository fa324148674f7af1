// A stream buffer that writes to a file descriptor and keeps the errno of its first failure.
#pragma once

#include <cstdint>
#include <streambuf>
#include <utility>
#include <vector>

namespace flashloom {

/// Owns the descriptor. The standard library's file buffers open files by name only, and do not keep the errno.
class DescriptorBuffer final : public std::streambuf {
 public:
  /// With -1 all writes fail.
  explicit DescriptorBuffer(int descriptor);
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
  ~DescriptorBuffer() override;

  /// Bytes put so far, including those still in the buffer.
  std::uint64_t size() const { return written_ + static_cast<std::uint64_t>(pptr() - pbase()); }
  /// The errno of the first failure; 0: none.
  int error() const { return error_; }
  /// Writes the buffered bytes and closes the descriptor. Returns whether every write and the close succeeded.
  bool close();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* from, std::streamsize size) override;
  int sync() override;

 private:
  bool put(const char* from, std::size_t size);
  bool flush();

  int descriptor_;
  int error_ = 0;
  std::uint64_t written_ = 0;
  std::vector<char> block_;
};

}  // namespace flashloom
