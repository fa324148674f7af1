#include "sc_main/attach/linux/guest_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace flashloom {

// Maps from the begin of the file: pages may be huge.
SharedMapping::SharedMapping(const FileDescriptor& file, std::uint64_t bytes, std::uint64_t offset, bool writable)
    : mapping_(
          ::mmap(nullptr, offset + bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file.number(), 0)),
      mapped_(offset + bytes),
      offset_(offset) {
  if (mapping_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "memory of the guest");
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : mapping_(std::exchange(other.mapping_, MAP_FAILED)), mapped_(other.mapped_), offset_(other.offset_) {}

SharedMapping::~SharedMapping() {
  if (mapping_ != MAP_FAILED) ::munmap(mapping_, mapped_);
}

void GuestMemory::map(const FileDescriptor& file, std::uint64_t address, std::uint64_t bytes, std::uint64_t offset) {
  regions_.push_back({address, bytes, SharedMapping(file, bytes, offset)});
}

std::byte* GuestMemory::at(std::uint64_t address, std::uint64_t bytes) const {
  for (const Region& region : regions_)
    if (address >= region.address && address - region.address <= region.bytes &&
        bytes <= region.bytes - (address - region.address))
      return region.mapping.begin() + (address - region.address);
  return nullptr;
}

}  // namespace flashloom
