// LRU: evicts the page referenced longest ago. O(1).
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::lru {
namespace {

class Lru final : public PolicyCore<PageEntry, 1, 1> {
 public:
  static constexpr bool kInOrder = true;

  Lru(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) { pages_.move_to_front(kOrder, page); }
  PageIndex victim() const { return pages_.back(kOrder); }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) { pages_.push_front(kOrder, page); }
  void describe(PolicyPicture& picture) const { picture.lists = {{"lru", numbers(kOrder)}}; }

 private:
  enum List : std::uint8_t { kOrder };
};

const ReplacementRegistration<Lru> registration{
    {.name = "lru", .summary = "least recently used", .source = "classic", .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::lru
