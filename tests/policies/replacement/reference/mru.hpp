// MRU, textbook: the page referenced last leaves, before the new one enters.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Mru final : public RecencyCache {
  using RecencyCache::RecencyCache;
  Page take_victim() override {
    const Page page = list_.head();
    list_.erase(page);
    return page;
  }
};

}  // namespace flashloom::reference
