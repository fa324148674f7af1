// LRU, textbook: the page referenced longest ago leaves.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Lru final : public RecencyCache {
  using RecencyCache::RecencyCache;
  Page take_victim() override { return list_.pop_tail(); }
};

}  // namespace flashloom::reference
