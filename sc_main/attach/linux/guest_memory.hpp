// The memory of a guest: a file that it shares with its devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// Bytes of a file from an offset on, which need not be a multiple of the page size.
class SharedMapping {
 public:
  /// Throws std::system_error.
  SharedMapping(const FileDescriptor& file, std::uint64_t bytes, std::uint64_t offset, bool writable = true);
  ~SharedMapping();
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&&) = delete;

  std::byte* begin() const { return static_cast<std::byte*>(mapping_) + offset_; }

 private:
  void* mapping_;
  std::size_t mapped_;
  std::uint64_t offset_;
};

/// Maps guest-physical addresses. Addresses outside of the shared regions (the kernel's own image) are not accessible.
class GuestMemory {
 public:
  /// Maps a region of a shared file. Throws std::system_error.
  void map(const FileDescriptor& file, std::uint64_t address, std::uint64_t bytes, std::uint64_t offset);
  void unmap() { regions_.clear(); }
  /// Pointer to `bytes` at `address`; null unless all of them are mapped.
  std::byte* at(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Region {
    std::uint64_t address;
    std::uint64_t bytes;
    SharedMapping mapping;
  };
  std::vector<Region> regions_;
};

}  // namespace flashloom
