// FLRU: evicts the page with the largest value C, made of the time since the page entered, its references since, and
// the cost of losing it: 1 to read it again, 7 to write it, 65 to overwrite stored data, which the cost oracle tells.
// The DLD-ARC paper, our source, does not give the formula; ours is
//
//     C = (references to the cache since the page entered) / (references to the page * cost)
//
// in whole numbers; ties are evicted in order of entry. The cost is asked when a page becomes dirty, when it is
// referenced, and again before its eviction, since it may have changed below: if it has, the page is re-sorted and the
// next candidate is tried. Without an oracle every write is assumed to overwrite. References to a page count up to 63.
//
// Pages with the same cost and references form a heap by entry time: only the first page of each of these 189 heaps is
// a candidate. O(log n) a reference.
#include <algorithm>
#include <array>

#include "policies/replacement/pairing_heap.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::flru {
namespace {

constexpr std::uint32_t kMostReferences = 63;

/// 24 bytes.
struct FlruEntry : PageEntry {
  std::uint64_t entered = 0;
};

class Flru final : public PolicyCore<FlruEntry, 1, 1> {
 private:
  auto above() const {
    return [this](PageIndex a, PageIndex b) { return pages_[a].entered < pages_[b].entered; };
  }

 public:
  static constexpr bool kAsksCost = true;

  Flru(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context), oracle_(context.oracle), heap_(context.slot_count()) {
    const std::array<const char*, kKinds> names = {"read", "write", "overwrite"};
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      costs_[kind] = static_cast<std::uint64_t>(values.get<std::int64_t>(names[kind]));
    for (auto& of_kind : first_) of_kind.fill(kNoPage);
  }

  void hit(PageIndex page, Access access) {
    leave(page);
    ++time_;
    if (pages_[page].mark < kMostReferences) ++pages_[page].mark;
    join(page, pages_[page].dirty || access == Access::Write);
  }
  PageIndex victim() {
    for (;;) {  // moves each page at most once: costs do not change meanwhile
      const PageIndex page = best();
      if (page == kNoPage || pages_[page].spare == kRead || pages_[page].spare == kind_of(page, true)) return page;
      leave(page);
      join(page, true);
    }
  }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access) {
    ++time_;
    pages_[page].entered = time_;
    pages_[page].mark = 1;
    pages_.push_front(kAll, page);
    join(page, pages_[page].dirty);
  }
  void remove(PageIndex page) {
    leave(page);
    pages_.release(page);
  }
  void cleaned(PageIndex page) {
    leave(page);
    join(page, false);
  }
  std::size_t bytes() const { return PolicyCore::bytes() + heap_.bytes(); }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    heap_.state(archive);
    archive(first_, time_);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"pages", numbers(kAll)}};
    for (PageIndex page = pages_.front(kAll); page != kNoPage; page = pages_.after(page))
      picture.values.emplace_back("C " + std::to_string(pages_[page].tag),
                                  static_cast<double>(time_ - pages_[page].entered) /
                                      static_cast<double>(pages_[page].mark * costs_[pages_[page].spare]));
  }

 private:
  enum List : std::uint8_t { kAll };
  enum Kind : std::uint8_t { kRead, kWrite, kOverwrite, kKinds };

  // Compares C of two pages without rounding.
  bool larger(PageIndex a, std::uint64_t divisor_a, PageIndex b, std::uint64_t divisor_b) const {
    const std::uint64_t left = (time_ - pages_[a].entered) * divisor_b;
    const std::uint64_t right = (time_ - pages_[b].entered) * divisor_a;
    return left != right ? left > right : pages_[a].entered < pages_[b].entered;
  }
  // The page with the largest C, by the costs last asked.
  PageIndex best() const {
    PageIndex best = kNoPage;
    std::uint64_t best_divisor = 1;
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      for (std::uint32_t references = 1; references <= kMostReferences; ++references) {
        const PageIndex page = first_[kind][references];
        if (page == kNoPage) continue;
        const std::uint64_t divisor = references * costs_[kind];
        if (best == kNoPage || larger(page, divisor, best, best_divisor)) {
          best = page;
          best_divisor = divisor;
        }
      }
    return best;
  }
  PageIndex& first_of(PageIndex page) { return first_[pages_[page].spare][pages_[page].mark]; }
  std::uint8_t kind_of(PageIndex page, bool dirty) const {
    if (!dirty) return kRead;
    return oracle_ == nullptr || oracle_->overwrites(pages_[page].tag) ? kOverwrite : kWrite;
  }
  void join(PageIndex page, bool dirty) {
    pages_[page].spare = kind_of(page, dirty);
    heap_.insert(first_of(page), page, above());
  }
  void leave(PageIndex page) { heap_.remove(first_of(page), page, above()); }

  const CostOracle* oracle_;
  std::array<std::uint64_t, kKinds> costs_{};
  HeapLinks heap_;
  std::array<std::array<PageIndex, kMostReferences + 1>, kKinds> first_;  // heap roots, by cost and references
  std::uint64_t time_ = 0;                                                // counts references
};

ParameterSpec cost(const char* name, std::int64_t value, const char* help) {
  return {.name = name, .default_value = value, .minimum = 1, .maximum = 100000, .choices = {}, .help = help};
}

const ReplacementRegistration<Flru> registration{
    {.name = "flru",
     .summary = "weighs age and references against what losing the page costs",
     .source = "J. Park and D. Park, Journal of KIISE: Databases 34(2), 2007, as the DLD-ARC paper describes it",
     .parameters = {cost("read", 1, "cost of a clean page: it is read again"),
                    cost("write", 7, "cost of a dirty page whose write goes to free space"),
                    cost("overwrite", 65, "cost of a dirty page whose write replaces what is stored")}}};

}  // namespace
}  // namespace flashloom::replacement::flru
