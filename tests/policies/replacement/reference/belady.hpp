// Belady's MIN ("A Study of Replacement Algorithms for a Virtual-Storage Computer", IBM Systems Journal 5(2), 1966):
// the page whose next reference is farthest leaves; every page that is referenced enters. Open: among those never
// referenced again the one referenced longest ago leaves.
//
// fewest_write_backs(): the fewest pages that any cache of `capacity` pages writes back, including those dirty at the
// end. A write needs no write-back of its own if its page has been in the cache, dirty, since the page's last write; a
// page that need not wait for another write may bypass the cache. So the result is the number of writes less the most
// intervals between writes of one page that fit into `capacity` places (Carlisle and Lloyd, "On the k-Coloring of
// Intervals", 1995: in the order of their ends, each into the place that has been free for the shortest time).
#pragma once

#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

struct Reference {
  Page page;
  bool write;
};
using References = std::vector<Reference>;

/// For each reference the index of the next one to its page.
inline std::vector<std::uint64_t> next_uses(const References& references) {
  std::vector<std::uint64_t> next(references.size(), std::numeric_limits<std::uint64_t>::max());
  std::unordered_map<Page, std::uint64_t> seen;
  for (std::size_t i = references.size(); i-- != 0;) {
    const auto found = seen.find(references[i].page);
    if (found != seen.end()) next[i] = found->second;
    seen[references[i].page] = i;
  }
  return next;
}

class Belady final : public PlainCache {
 public:
  Belady(std::size_t capacity, const References& references) : PlainCache(capacity), next_(next_uses(references)) {}
  std::size_t resident() const override { return entries_.size(); }
  /// In the order of eviction.
  std::string state() const override {
    std::string all;
    for (const auto& [near, last, page] : order_) all += name_of(page, dirty(page));
    return all;
  }

 private:
  using Entry = std::tuple<std::uint64_t, std::uint64_t, Page>;  // nearness, last, page

  Entry entry(Page page) const { return {std::numeric_limits<std::uint64_t>::max() - next_[now_ - 1], now_, page}; }
  bool contains(Page page) const override { return entries_.count(page) != 0; }
  void hit(Page page, bool write) override {
    order_.erase(entries_.at(page));
    enter(page, write);
  }
  Page take_victim() override {
    const Page page = std::get<2>(*order_.begin());
    order_.erase(order_.begin());
    entries_.erase(page);
    return page;
  }
  void enter(Page page, bool) override {
    entries_[page] = entry(page);
    order_.insert(entries_[page]);
  }

  std::vector<std::uint64_t> next_;
  std::unordered_map<Page, Entry> entries_;
  std::set<Entry> order_;
};

inline std::uint64_t fewest_write_backs(std::size_t capacity, const References& references) {
  std::multiset<std::uint64_t> free_since;  // by place
  for (std::size_t place = 0; place != capacity; ++place) free_since.insert(0);
  std::unordered_map<Page, std::uint64_t> last_write;
  std::uint64_t writes = 0;
  std::uint64_t kept = 0;
  for (std::size_t now = 0; now != references.size(); ++now) {
    if (!references[now].write) continue;
    ++writes;
    const auto last = last_write.find(references[now].page);
    if (last != last_write.end()) {  // an interval that ends now
      auto place = free_since.upper_bound(last->second);
      if (place != free_since.begin()) {
        free_since.erase(--place);
        free_since.insert(now);
        ++kept;
      }
    }
    last_write[references[now].page] = now;
  }
  return writes - kept;
}

}  // namespace flashloom::reference
