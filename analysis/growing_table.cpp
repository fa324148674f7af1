#include "analysis/growing_table.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace flashloom {
namespace {

constexpr std::size_t kSmallStep = std::size_t{64} << 10;
constexpr std::size_t kHugeStep = std::size_t{2} << 20;

void* map(void* where, std::size_t bytes, int access, int flags) {
  void* const mapped = ::mmap(where, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return mapped;
}

/// Addresses that begin where a huge page may: whole huge pages move as such.
char* aligned_addresses(std::size_t bytes) {
  auto* const mapped = static_cast<char*>(map(nullptr, bytes + kHugeStep, PROT_NONE, 0));
  const std::size_t before = (kHugeStep - reinterpret_cast<std::uintptr_t>(mapped) % kHugeStep) % kHugeStep;
  if (before != 0) ::munmap(mapped, before);
  ::munmap(mapped + before + bytes, kHugeStep - before);
  return mapped + before;
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void GrowingMemory::grow(std::size_t bytes) {
  bytes = std::max(bytes, 2 * bytes_);
  const std::size_t step = bytes < kHugeStep ? kSmallStep : kHugeStep;
  bytes = (bytes + step - 1) / step * step;
  const bool huge = step == kHugeStep;
  void* to = huge ? aligned_addresses(bytes) : nullptr;
  if (data_ == nullptr) {
    to = map(to, bytes, PROT_READ | PROT_WRITE, huge ? MAP_FIXED : 0);
  } else {
    void* const moved = huge ? ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to)
                             : ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) {
      if (huge) ::munmap(to, bytes);
      throw std::bad_alloc();
    }
    to = moved;
  }
  if (huge) ::madvise(to, bytes, MADV_HUGEPAGE);  // only advice: refusal is no error
  data_ = to;
  bytes_ = bytes;
}

}  // namespace flashloom
