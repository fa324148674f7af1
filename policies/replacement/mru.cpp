// MRU: evicts the page referenced last. For loops that are larger than the cache. O(1).
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::mru {
namespace {

class Mru final : public PolicyCore<PageEntry, 1, 1> {
 public:
  Mru(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) { pages_.move_to_front(kOrder, page); }
  PageIndex victim() const { return pages_.front(kOrder); }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) { pages_.push_front(kOrder, page); }
  void describe(PolicyPicture& picture) const { picture.lists = {{"mru", numbers(kOrder)}}; }

 private:
  enum List : std::uint8_t { kOrder };  // referenced last in front
};

const ReplacementRegistration<Mru> registration{
    {.name = "mru", .summary = "most recently used", .source = "classic", .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::mru
