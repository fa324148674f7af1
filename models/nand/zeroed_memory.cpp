#include "models/nand/zeroed_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace flashloom {
namespace {

constexpr std::size_t kMostInLargePages = std::size_t{4} << 30;
constexpr std::size_t kLeastInSmallPages = std::size_t{256} << 20;  // what a smaller table may take too much is little

}  // namespace

ZeroedMemory::ZeroedMemory(std::size_t bytes) : bytes_(bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error("cannot reserve " + std::to_string(bytes) +
                             " bytes for a table of the model: " + std::generic_category().message(errno));
  }
  data_ = static_cast<std::byte*>(memory);
  // Tables are read at random: with 2 MiB pages the computer's TLB covers them. Only advice, so a refusal is no error.
  // Larger tables belong to devices that a run touches sparsely: one page for each open block of 1,024 dies would be
  // 2 GB.
  if (bytes <= kMostInLargePages) madvise(memory, bytes, MADV_HUGEPAGE);
}

void ZeroedMemory::touch_in_small_pages() const {
  if (bytes_ >= kLeastInSmallPages) madvise(data_, bytes_, MADV_NOHUGEPAGE);
}

ZeroedMemory::~ZeroedMemory() { munmap(data_, bytes_); }

}  // namespace flashloom
