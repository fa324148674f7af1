#include "analysis/huge_pages.hpp"

#include <sys/mman.h>

#include <new>

namespace flashloom {
namespace {

class HugePages final : public std::pmr::memory_resource {
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kHugePage) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    void* const memory = ::operator new (bytes, std::align_val_t{kHugePage});
    madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // only advice: refusal is no error
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kHugePage)
      std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    else
      ::operator delete (memory, std::align_val_t{kHugePage});
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource& huge_pages() {
  static HugePages* const pages = new HugePages;  // what it gave may outlive all statics
  return *pages;
}

}  // namespace flashloom
