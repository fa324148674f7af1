// LRFU: evicts the page with the smallest CRF. CRF, combined recency and frequency, is the sum of F(x) = (1/2)^(lambda
// x) over the page's references since it entered, where x counts the cache's references since then. lambda = 0 is LFU,
// 1 is LRU. Ties go to the page referenced longer ago. O(log n).
//
// CRF decays alike for all pages, so pages are ordered by log2(CRF) + lambda * (time of the last reference), which does
// not change between references.
#include <bit>
#include <cmath>

#include "policies/replacement/pairing_heap.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::lrfu {
namespace {

/// 32 bytes.
struct LrfuEntry : PageEntry {
  std::uint64_t weight_bits = 0;  ///< of the double; as above
  std::uint64_t last = 0;

  double weight() const { return std::bit_cast<double>(weight_bits); }
};

class Lrfu final : public PolicyCore<LrfuEntry, 1, 1> {
 private:
  auto above() const {
    return [this](PageIndex a, PageIndex b) {
      return pages_[a].weight() != pages_[b].weight() ? pages_[a].weight() < pages_[b].weight()
                                                      : pages_[a].last < pages_[b].last;
    };
  }

 public:
  Lrfu(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context), lambda_(values.get<double>("lambda")), heap_(context.slot_count()) {}

  void hit(PageIndex page, Access) {
    heap_.remove(first_, page, above());
    const double now = lambda_ * static_cast<double>(++time_);
    set_weight(page, now + std::log2(1.0 + std::exp2(pages_[page].weight() - now)));
    pages_[page].last = time_;
    heap_.insert(first_, page, above());
  }
  PageIndex victim() const { return first_; }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access) {
    ++time_;
    set_weight(page, lambda_ * static_cast<double>(time_));
    pages_[page].last = time_;
    pages_.push_front(kAll, page);
    heap_.insert(first_, page, above());
  }
  void remove(PageIndex page) {
    heap_.remove(first_, page, above());
    pages_.release(page);
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
      picture.values.emplace_back("crf " + std::to_string(pages_[page].tag),
                                  std::exp2(pages_[page].weight() - lambda_ * static_cast<double>(time_)));
  }

 private:
  enum List : std::uint8_t { kAll };
  void set_weight(PageIndex page, double weight) { pages_[page].weight_bits = std::bit_cast<std::uint64_t>(weight); }

  double lambda_;
  HeapLinks heap_;
  PageIndex first_ = kNoPage;  // smallest CRF
  std::uint64_t time_ = 0;     // counts references
};

const ReplacementRegistration<Lrfu> registration{
    {.name = "lrfu",
     .summary = "between LRU and LFU: every reference counts, the less the older it is",
     .source =
         "D. Lee, J. Choi, J. Kim, S. Noh, S. Min, Y. Cho, C. Kim, LRFU, IEEE Transactions on Computers 50(12), 2001",
     .parameters = {{.name = "lambda",
                     .default_value = 0.001,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "0: LFU; 1: LRU; the paper's best lie between 1e-5 and 0.01"}}}};

}  // namespace
}  // namespace flashloom::replacement::lrfu
