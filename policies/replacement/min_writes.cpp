// The write-aware clairvoyant bound: no cache of this capacity writes fewer pages, including those still dirty at the
// end. Each write of a page either finds the page still dirty from the previous write, or costs one more page write.
// To stay dirty between two writes a page needs a slot all the time; the optimal choice of these intervals, at most
// `capacity` at a time, drops the interval that ends last (as MIN does, with writes as the only
// references).
//
// Clean pages use the remaining slots, and are evicted first, the one with the farthest next reference first. A read
// without such a slot, or whose own next reference is the farthest, bypasses the cache; so does a write whose next
// write is farther than those of all dirty pages. So the read hit ratio is what this write schedule leaves to reads,
// and no bound. Offline. O(log n).
#include "policies/replacement/pairing_heap.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::min_writes {
namespace {

/// 24 bytes.
struct WriteFutureEntry : PageEntry {
  std::uint32_t next_reference = 0;
  std::uint32_t next_write = 0;
};

class MinWrites final : public PolicyCore<WriteFutureEntry, 1, 1> {
 private:
  auto clean_above() const {
    return [this](PageIndex a, PageIndex b) { return pages_[a].next_reference > pages_[b].next_reference; };
  }
  auto dirty_above() const {
    return [this](PageIndex a, PageIndex b) { return pages_[a].next_write > pages_[b].next_write; };
  }

 public:
  static constexpr bool kOffline = true;

  MinWrites(const ReplacementContext& context, const ParameterValues&)
      : PolicyCore(context), capacity_(context.capacity), heap_(context.slot_count()) {}

  void foresee(std::uint32_t next_reference, std::uint32_t next_write) {
    next_reference_ = next_reference;
    next_write_ = next_write;
  }
  void hit(PageIndex page, Access access) {
    leave(page);
    if (access == Access::Write) pages_[page].mark = 1;
    join(page);
  }
  void miss(PageIndex, Access access) {
    admits_ = true;
    if (pages_.size(kAll) < capacity_) return;
    if (access == Access::Read)
      admits_ = clean_ != kNoPage && next_reference_ < pages_[clean_].next_reference;
    else
      admits_ = clean_ != kNoPage || next_write_ < pages_[dirty_].next_write;
  }
  bool admits() const { return admits_; }
  PageIndex victim() const { return clean_ != kNoPage ? clean_ : dirty_; }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access access) {
    pages_[page].mark = access == Access::Write ? 1 : 0;
    pages_.push_front(kAll, page);
    join(page);
  }
  void remove(PageIndex page) {
    leave(page);
    pages_.release(page);
  }
  std::size_t bytes() const { return PolicyCore::bytes() + heap_.bytes(); }
  void describe(PolicyPicture& picture) const { picture.lists = {{"pages", numbers(kAll)}}; }

 private:
  enum List : std::uint8_t { kAll };

  void join(PageIndex page) {
    pages_[page].next_reference = next_reference_;
    pages_[page].next_write = next_write_;
    if (pages_[page].mark != 0)
      heap_.insert(dirty_, page, dirty_above());
    else
      heap_.insert(clean_, page, clean_above());
  }
  void leave(PageIndex page) {
    if (pages_[page].mark != 0)
      heap_.remove(dirty_, page, dirty_above());
    else
      heap_.remove(clean_, page, clean_above());
  }

  std::uint32_t capacity_;
  HeapLinks heap_;
  PageIndex clean_ = kNoPage;  // the one referenced again farthest ahead
  PageIndex dirty_ = kNoPage;  // the one written again farthest ahead
  std::uint32_t next_reference_ = 0;
  std::uint32_t next_write_ = 0;
  bool admits_ = true;
};

const ReplacementRegistration<MinWrites> registration{
    {.name = "min_writes",
     .summary = "clairvoyant: the fewest pages written that any cache can have",
     .source = "ours: MIN over the writes; intervals on k machines, U. Faigle and W. Nawijn, 1995",
     .parameters = {},
     .aliases = {"write_aware"}}};

}  // namespace
}  // namespace flashloom::replacement::min_writes
