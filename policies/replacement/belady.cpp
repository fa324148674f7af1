// Belady's MIN: evicts the page whose next reference is farthest ahead. No policy that admits every missing page has
// more hits. Among pages that are never referenced again a clean one goes first. Offline. O(log n).
#include "policies/replacement/pairing_heap.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::belady {
namespace {

/// 20 bytes.
struct FutureEntry : PageEntry {
  std::uint32_t next_use = 0;  ///< position
};

class Belady final : public PolicyCore<FutureEntry, 1, 1> {
 private:
  auto above() const {
    return [this](PageIndex a, PageIndex b) {
      return pages_[a].next_use != pages_[b].next_use ? pages_[a].next_use > pages_[b].next_use
                                                      : pages_[a].mark < pages_[b].mark;
    };
  }

 public:
  static constexpr bool kOffline = true;

  Belady(const ReplacementContext& context, const ParameterValues&)
      : PolicyCore(context), heap_(context.slot_count()) {}

  void foresee(std::uint32_t next_reference, std::uint32_t) { next_ = next_reference; }
  void hit(PageIndex page, Access access) {
    // This reference moves its next one farther ahead, which raises it in the heap; becoming dirty may lower it.
    if (access == Access::Write && !pages_[page].dirty) {
      heap_.remove(farthest_, page, above());
      pages_[page].next_use = next_;
      pages_[page].mark = 1;
      heap_.insert(farthest_, page, above());
    } else {
      pages_[page].next_use = next_;
      heap_.raise(farthest_, page, above());
    }
  }
  PageIndex victim() const { return farthest_; }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access access) {
    pages_[page].next_use = next_;
    pages_[page].mark = access == Access::Write ? 1 : 0;
    pages_.push_front(kAll, page);
    heap_.insert(farthest_, page, above());
  }
  void remove(PageIndex page) {
    heap_.remove(farthest_, page, above());
    pages_.release(page);
  }
  std::size_t bytes() const { return PolicyCore::bytes() + heap_.bytes(); }
  void describe(PolicyPicture& picture) const { picture.lists = {{"pages", numbers(kAll)}}; }

 private:
  enum List : std::uint8_t { kAll };

  HeapLinks heap_;
  PageIndex farthest_ = kNoPage;
  std::uint32_t next_ = 0;  // of the page that is referenced now
};

const ReplacementRegistration<Belady> registration{
    {.name = "belady",
     .summary = "clairvoyant: the most hits that any policy can have",
     .source =
         "L. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5(2), 1966",
     .parameters = {},
     .aliases = {"min", "opt"}}};

}  // namespace
}  // namespace flashloom::replacement::belady
