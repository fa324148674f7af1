// A large block of zeroes that the operating system commits page by page, as it is written.
#pragma once

#include <cstddef>

namespace flashloom {

class ZeroedMemory {
 public:
  /// Reserves `bytes` of zeroes. Throws std::runtime_error if the address space is not to be had.
  explicit ZeroedMemory(std::size_t bytes);
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  ~ZeroedMemory();

  /// From now on it is committed in the computer's smallest pages: only a part of it is going to be touched.
  void touch_in_small_pages() const;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace flashloom
