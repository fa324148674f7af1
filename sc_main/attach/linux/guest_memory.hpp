// The memory of a guest: a file that it shares with its devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// Maps guest-physical addresses. Addresses outside of the shared regions (the kernel's own image) are not accessible.
class GuestMemory {
 public:
  GuestMemory() = default;
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;
  ~GuestMemory();

  /// Maps a region of a shared file. Throws std::system_error.
  void map(const FileDescriptor& file, std::uint64_t address, std::uint64_t bytes, std::uint64_t offset);
  void unmap();
  /// Pointer to `bytes` at `address`; null unless all of them are mapped.
  std::byte* at(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Region {
    std::uint64_t address;
    std::uint64_t bytes;
    std::byte* begin;  // where `address` is mapped
    void* mapping;
    std::size_t mapped;
  };
  std::vector<Region> regions_;
};

}  // namespace flashloom
