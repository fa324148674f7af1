// FIFO, textbook: the page that entered first leaves; hits change nothing.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Fifo final : public RecencyCache {
  using RecencyCache::RecencyCache;
  void hit(Page, bool) override {}
  Page take_victim() override { return list_.pop_tail(); }
};

}  // namespace flashloom::reference
