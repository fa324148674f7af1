// Memory of coroutine frames: size-class free lists that never give back, so that a steady state allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "models/common/cache_line.hpp"

namespace flashloom {

/// One for the whole process (a simulation is single-threaded). Under AddressSanitizer it passes everything to the
/// heap, so that a frame used after its end is reported.
class FramePool {
 public:
  static void* allocate(std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__)
    const std::size_t size_class = (bytes + kStep - 1) / kStep;
    if (size_class < kClasses) {
      Node*& head = free_[size_class];
      if (head != nullptr) {
        Node* const node = head;
        head = node->next;
        return node;
      }
      return ::operator new (size_class* kStep, std::align_val_t{kStep});
    }
#endif
    return ::operator new(bytes);
  }

  static void release(void* memory, std::size_t bytes) noexcept {
#if !defined(__SANITIZE_ADDRESS__)
    const std::size_t size_class = (bytes + kStep - 1) / kStep;
    if (size_class < kClasses) {
      Node* const node = static_cast<Node*>(memory);
      node->next = free_[size_class];
      free_[size_class] = node;
      return;
    }
#endif
    ::operator delete(memory, bytes);
  }

 private:
  struct Node {
    Node* next;
  };
  static constexpr std::size_t kStep = kCacheLine;
  static constexpr std::size_t kClasses = 64;  // frames up to 4 KiB
  inline static std::array<Node*, kClasses> free_{};
};

}  // namespace flashloom
