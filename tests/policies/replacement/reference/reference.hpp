// Slow references of the replacement policies: written straight from the papers' pseudo-code with containers of the
// standard library, to be obviously right rather than quick. Each policy's header says what its paper leaves open and
// how it is settled. They share nothing with policies/replacement.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace flashloom::reference {

using Page = std::uint64_t;

/// Where the page was found. `Ghost`: only its identifier, the data must be fetched. `DirtyGhost`: data and all.
enum class Hit : std::uint8_t { Miss, Real, Ghost, DirtyGhost };

/// A page whose data leave memory; a dirty one is written back.
struct Left {
  Page page;
  bool dirty;
  bool operator==(const Left&) const = default;
};

struct Step {
  Hit hit = Hit::Miss;
  std::vector<Left> left;  ///< in the order in which they leave
  bool operator==(const Step&) const = default;
};

/// Small pages by a letter, a capital one for a dirty page.
inline std::string name_of(Page page, bool dirty = false) {
  if (page < 26) return {static_cast<char>((dirty ? 'A' : 'a') + static_cast<char>(page))};
  return (dirty ? "<D" : "<") + std::to_string(page) + ">";
}

/// "m", "h", "g", "d" for miss, real hit, ghost hit, dirty ghost hit; then what left: "m-bC" (C was dirty).
inline std::string text_of(const Step& step) {
  std::string text(1, "mhgd"[static_cast<int>(step.hit)]);
  if (!step.left.empty()) text += "-";
  for (const Left& left : step.left) text += name_of(left.page, left.dirty);
  return text;
}

/// Pages in an order, from the head to the tail. Each at most once.
class List {
 public:
  bool contains(Page page) const { return where_.count(page) != 0; }
  bool empty() const { return pages_.empty(); }
  std::size_t size() const { return pages_.size(); }
  Page head() const { return pages_.front(); }
  Page tail() const { return pages_.back(); }
  void push_head(Page page) { where_[page] = pages_.insert(pages_.begin(), page); }
  void push_tail(Page page) { where_[page] = pages_.insert(pages_.end(), page); }
  void erase(Page page) {
    pages_.erase(where_.at(page));
    where_.erase(page);
  }
  Page pop_tail() {
    const Page page = tail();
    erase(page);
    return page;
  }
  void move_to_head(Page page) {
    erase(page);
    push_head(page);
  }
  auto begin() const { return pages_.begin(); }
  auto end() const { return pages_.end(); }
  auto from_tail() const { return pages_.rbegin(); }
  auto beyond_head() const { return pages_.rend(); }

 private:
  std::list<Page> pages_;
  std::unordered_map<Page, std::list<Page>::iterator> where_;
};

class Cache {
 public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}
  virtual ~Cache() = default;

  Step reference(Page page, bool write) {
    step_ = {};
    ++now_;
    step_.hit = decide(page, write);
    if (write) dirty_.insert(page);
    return step_;
  }

  /// Lists from the head (most recent) to the tail, and whatever else decides.
  virtual std::string state() const = 0;
  /// Pages whose data are in memory.
  virtual std::size_t resident() const = 0;

 protected:
  virtual Hit decide(Page page, bool write) = 0;

  bool dirty(Page page) const { return dirty_.count(page) != 0; }
  /// The data of `page` leave memory; what is dirty is written back.
  void leaves(Page page) { step_.left.push_back({page, dirty_.erase(page) != 0}); }
  std::string text(const List& list) const {
    std::string all;
    for (const Page page : list) all += name_of(page, dirty(page));
    return all;
  }

  std::size_t capacity_;
  std::uint64_t now_ = 0;  ///< references so far, the current one included

 private:
  std::unordered_set<Page> dirty_;
  Step step_;
};

/// A cache without ghosts: on a miss in a full cache one page leaves, then the page enters.
class PlainCache : public Cache {
 public:
  using Cache::Cache;

 protected:
  virtual bool contains(Page page) const = 0;
  virtual void hit(Page page, bool write) = 0;
  /// Takes the victim out of the policy's order.
  virtual Page take_victim() = 0;
  virtual void enter(Page page, bool write) = 0;

 private:
  Hit decide(Page page, bool write) final {
    if (contains(page)) {
      hit(page, write);
      return Hit::Real;
    }
    if (resident() == capacity_) leaves(take_victim());
    enter(page, write);
    return Hit::Miss;
  }
};

/// One list in order of reference: what LRU and its kin share. Head: most recent.
class RecencyCache : public PlainCache {
 public:
  using PlainCache::PlainCache;
  std::string state() const override { return text(list_); }
  std::size_t resident() const final { return list_.size(); }

 protected:
  bool contains(Page page) const final { return list_.contains(page); }
  void hit(Page page, bool) override { list_.move_to_head(page); }
  void enter(Page page, bool) override { list_.push_head(page); }

  List list_;
};

}  // namespace flashloom::reference
