// Dirty-Last: evicts clean pages first, over the whole cache, and dirty ones only when all are dirty; both in the order
// LRU, MRU or LFU. The paper's pattern search, which presorts pages by the program's future accesses, is replaced by
// the dirty state alone. O(1) a reference; a page that was written back is inserted by its last reference (LRU, MRU) or
// its number of references (LFU), by a list walk.
#include "policies/replacement/frequency_order.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::dirty_last {
namespace {

/// 32 bytes.
struct DirtyLastEntry : FrequencyEntry {
  std::uint64_t stamp = 0;  ///< of its last reference
};

class DirtyLast final : public PolicyCore<DirtyLastEntry, 2, 2> {
 public:
  DirtyLast(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context),
        by_frequency_(values.get<std::string>("base") == "lfu"),
        front_leaves_(values.get<std::string>("base") == "mru"),
        order_(by_frequency_ ? context.slot_count() : 0) {}

  void hit(PageIndex page, Access access) {
    pages_[page].stamp = ++time_;
    const std::uint8_t list = access == Access::Write ? std::uint8_t{kDirty} : pages_[page].list;
    if (!by_frequency_) {
      pages_.move_to_front(list, page);
    } else if (list == pages_[page].list) {
      order_.reference(pages_, page);
    } else {
      order_.remove(pages_, page);
      ++pages_[page].references;
      order_.insert(pages_, list, page);
    }
  }
  PageIndex victim() const { return of(pages_.empty(kClean) ? kDirty : kClean); }
  PageIndex clean_victim() const { return of(kClean); }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access access) {
    pages_[page].stamp = ++time_;
    pages_[page].references = 1;
    put(access == Access::Write ? kDirty : kClean, page);
  }
  void remove(PageIndex page) {
    if (by_frequency_) order_.remove(pages_, page);
    pages_.release(page);
  }
  void cleaned(PageIndex page) {
    if (by_frequency_) {
      order_.remove(pages_, page);
      put(kClean, page);
      return;
    }
    pages_.detach(page);
    PageIndex older = pages_.front(kClean);
    while (older != kNoPage && pages_[older].stamp > pages_[page].stamp) older = pages_.after(older);
    if (older == kNoPage)
      pages_.push_back(kClean, page);
    else
      pages_.push_before(older, page);
  }
  std::size_t bytes() const { return PolicyCore::bytes() + order_.bytes(); }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    archive(time_);
    order_.state(archive);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"clean", numbers(kClean)}, {"dirty", numbers(kDirty)}};
  }

 private:
  enum List : std::uint8_t { kClean, kDirty };

  PageIndex of(std::uint8_t list) const { return front_leaves_ ? pages_.front(list) : pages_.back(list); }
  void put(std::uint8_t list, PageIndex page) {
    if (by_frequency_)
      order_.insert(pages_, list, page);
    else
      pages_.push_front(list, page);
  }

  bool by_frequency_;
  bool front_leaves_;
  FrequencyOrder<Lists> order_;
  std::uint64_t time_ = 0;
};

const ReplacementRegistration<DirtyLast> registration{
    {.name = "dirty_last",
     .summary = "clean pages first, over the whole cache",
     .source =
         "S. Park, K. Kim, S. Kim, cache and prefetch policy for NAND flash file systems, KIPS Transactions 14-A(4), "
         "2007, as the DLD-ARC paper describes it",
     .parameters = {{.name = "base",
                     .default_value = std::string("lru"),
                     .choices = {"lru", "mru", "lfu"},
                     .help = "order among clean pages, and among dirty ones"}}}};

}  // namespace
}  // namespace flashloom::replacement::dirty_last
