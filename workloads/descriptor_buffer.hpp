// What a file descriptor is written through, and why it could not be.
#pragma once

#include <cstdint>
#include <streambuf>
#include <utility>
#include <vector>

namespace flashloom {

/// Owns the descriptor. The standard library's file buffers open files by name, and forget what went wrong.
class DescriptorBuffer final : public std::streambuf {
 public:
  /// -1: everything fails.
  explicit DescriptorBuffer(int descriptor);
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
  ~DescriptorBuffer() override;

  /// Bytes that were given so far, those that still wait included.
  std::uint64_t size() const { return written_ + static_cast<std::uint64_t>(pptr() - pbase()); }
  /// The errno of the first failure; 0: none.
  int error() const { return error_; }
  /// Writes what waits, and closes. Returns whether all went well since the beginning.
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
