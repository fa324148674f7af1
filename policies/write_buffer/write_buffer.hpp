// Family "write_buffer": which logical block a buffer of written pages evicts. All its pages leave together.
#pragma once

#include "policies/eviction.hpp"

namespace flashloom {

struct WriteBufferContext {
  std::uint32_t capacity = 0;         ///< slots
  std::uint32_t pages_per_block = 1;  ///< a page's block is page / pages_per_block
};

/// victim() is the first buffered page of the block to evict, companions() the others, in page order.
class WriteBufferPolicy : public EvictionPolicy {
 public:
  using EvictionPolicy::EvictionPolicy;
  static constexpr const char* kFamily = "write_buffer";
  using Context = WriteBufferContext;
};

}  // namespace flashloom
