// SIEVE (Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024, algorithm 1): a queue with a visited bit per object, and
// a hand. On a miss the hand goes from its place (at first, and beyond the head, from the tail) towards the head,
// clears visited bits, and evicts the first object whose bit is clear; the hand then stands at the one before. A new
// object enters at the head with a clear bit. Nothing is left open.
#pragma once

#include <optional>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Sieve final : public PlainCache {
 public:
  explicit Sieve(std::size_t capacity) : PlainCache(capacity) {}
  std::size_t resident() const override { return queue_.size(); }
  /// From the head, "'" behind a visited one, ">" before the hand's.
  std::string state() const override {
    std::string all;
    for (const Object& object : queue_) {
      if (hand_ == object.page) all += '>';
      all += name_of(object.page, dirty(object.page));
      if (object.visited) all += '\'';
    }
    return all;
  }

 private:
  struct Object {
    Page page;
    bool visited;
  };

  std::size_t place_of(Page page) const {
    std::size_t place = 0;
    while (place != queue_.size() && queue_[place].page != page) ++place;
    return place;
  }
  bool contains(Page page) const override { return place_of(page) != queue_.size(); }
  void hit(Page page, bool) override { queue_[place_of(page)].visited = true; }
  Page take_victim() override {
    std::size_t at = hand_ ? place_of(*hand_) : queue_.size() - 1;
    while (queue_[at].visited) {
      queue_[at].visited = false;
      at = at == 0 ? queue_.size() - 1 : at - 1;
    }
    const Page page = queue_[at].page;
    hand_ = at == 0 ? std::nullopt : std::optional(queue_[at - 1].page);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(at));
    return page;
  }
  void enter(Page page, bool) override { queue_.insert(queue_.begin(), {page, false}); }

  std::vector<Object> queue_;
  std::optional<Page> hand_;
};

}  // namespace flashloom::reference
