#include "sc_main/attach/linux/guest_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace flashloom {

GuestMemory::~GuestMemory() { unmap(); }

void GuestMemory::map(const FileDescriptor& file, std::uint64_t address, std::uint64_t bytes, std::uint64_t offset) {
  const std::size_t mapped = offset + bytes;  // maps from 0: a region's offset need not be a multiple of the page size
  void* const mapping = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (mapping == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "memory of the guest");
  regions_.push_back({address, bytes, static_cast<std::byte*>(mapping) + offset, mapping, mapped});
}

void GuestMemory::unmap() {
  for (const Region& region : regions_) ::munmap(region.mapping, region.mapped);
  regions_.clear();
}

std::byte* GuestMemory::at(std::uint64_t address, std::uint64_t bytes) const {
  for (const Region& region : regions_)
    if (address >= region.address && address - region.address <= region.bytes &&
        bytes <= region.bytes - (address - region.address))
      return region.begin + (address - region.address);
  return nullptr;
}

}  // namespace flashloom
