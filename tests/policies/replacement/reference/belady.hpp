// Belady's MIN ("A Study of Replacement Algorithms for a Virtual-Storage Computer", IBM Systems Journal 5(2), 1966):
// the page whose next reference is farthest leaves; every page that is referenced enters. Open: among those never
// referenced again the one referenced longest ago leaves.
//
// The write-aware clairvoyant: of the clean pages the one whose next reference is farthest leaves; with none clean, the
// dirty page whose next *write* is farthest. A heuristic. fewest_write_backs() is the bound: dirty pages alone, at most
// `capacity` at any time, are a cache of the writes; the misses of MIN there are the fewest write-backs of any policy
// that holds so many pages, what is dirty at the end included.
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

/// For each reference the index of the next one (or the next write) to its page.
inline std::vector<std::uint64_t> next_uses(const References& references, bool writes_only) {
  std::vector<std::uint64_t> next(references.size(), std::numeric_limits<std::uint64_t>::max());
  std::unordered_map<Page, std::uint64_t> seen;
  for (std::size_t i = references.size(); i-- != 0;) {
    const auto found = seen.find(references[i].page);
    if (found != seen.end()) next[i] = found->second;
    if (!writes_only || references[i].write) seen[references[i].page] = i;
  }
  return next;
}

class Clairvoyant : public PlainCache {
 public:
  Clairvoyant(std::size_t capacity, const References& references, bool write_aware)
      : PlainCache(capacity),
        write_aware_(write_aware),
        next_(next_uses(references, false)),
        next_write_(next_uses(references, true)) {}
  std::size_t resident() const final { return entries_.size(); }
  /// The next to leave first.
  std::string state() const final {
    std::string all;
    for (const auto& [dirty_page, near, last, page] : order_) all += name_of(page, dirty(page));
    return all;
  }

 private:
  using Entry = std::tuple<bool, std::uint64_t, std::uint64_t, Page>;  // counts as dirty, nearness, last, page

  Entry entry(Page page, bool is_dirty) const {
    const bool apart = write_aware_ && is_dirty;
    const std::uint64_t next = (apart ? next_write_ : next_)[now_ - 1];
    return {apart, std::numeric_limits<std::uint64_t>::max() - next, now_, page};
  }
  bool contains(Page page) const final { return entries_.count(page) != 0; }
  void hit(Page page, bool write) final {
    order_.erase(entries_.at(page));
    entries_[page] = entry(page, dirty(page) || write);
    order_.insert(entries_[page]);
  }
  Page take_victim() final {
    const Page page = std::get<3>(*order_.begin());
    order_.erase(order_.begin());
    entries_.erase(page);
    return page;
  }
  void enter(Page page, bool write) final {
    entries_[page] = entry(page, write);
    order_.insert(entries_[page]);
  }

  bool write_aware_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint64_t> next_write_;
  std::unordered_map<Page, Entry> entries_;
  std::set<Entry> order_;
};

inline std::uint64_t fewest_write_backs(std::size_t capacity, const References& references) {
  References writes;
  for (const Reference& reference : references)
    if (reference.write) writes.push_back(reference);
  Clairvoyant min(capacity, writes, false);
  std::uint64_t misses = 0;
  for (const Reference& reference : writes)
    if (min.reference(reference.page, true).hit == Hit::Miss) ++misses;
  return misses;
}

}  // namespace flashloom::reference
