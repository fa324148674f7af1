// Family "replacement": which page of a buffer or cache leaves.
#pragma once

#include "policies/eviction.hpp"

namespace flashloom {

struct ReplacementContext {
  std::uint32_t capacity = 0;  ///< slots
};

class ReplacementPolicy : public EvictionPolicy {
 public:
  static constexpr const char* kFamily = "replacement";
  using Context = ReplacementContext;
};

}  // namespace flashloom
