// A large zeroed memory block that the operating system commits page by page, when it is written.
#pragma once

#include <cstddef>

namespace flashloom {

class ZeroedMemory {
 public:
  /// Reserves `bytes` of zeroes. Throws std::runtime_error if the address space is not available.
  explicit ZeroedMemory(std::size_t bytes);
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  ~ZeroedMemory();

  /// From now on commits large memory in the smallest pages of the host computer: only a part of it will be touched.
  void touch_in_small_pages() const;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace flashloom
