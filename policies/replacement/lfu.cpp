// LFU: evicts the page with the fewest references since it entered, ties to the one referenced longest ago. O(1).
#include "policies/replacement/frequency_order.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::lfu {
namespace {

class Lfu final : public PolicyCore<FrequencyEntry, 1, 1> {
 public:
  Lfu(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context), order_(context.slot_count()) {}

  void hit(PageIndex page, Access) { order_.reference(pages_, page); }
  PageIndex victim() const { return pages_.back(kOrder); }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access) {
    pages_[page].references = 1;
    order_.insert(pages_, kOrder, page);
  }
  void remove(PageIndex page) {
    order_.remove(pages_, page);
    pages_.release(page);
  }
  std::size_t bytes() const { return PolicyCore::bytes() + order_.bytes(); }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    order_.state(archive);
  }
  void describe(PolicyPicture& picture) const { picture.lists = {{"lfu", numbers(kOrder)}}; }

 private:
  enum List : std::uint8_t { kOrder };  // most references in front
  FrequencyOrder<Lists> order_;
};

const ReplacementRegistration<Lfu> registration{
    {.name = "lfu", .summary = "least frequently used since it entered", .source = "classic", .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::lfu
