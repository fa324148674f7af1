// LIP: a page enters at the LRU end; only a reference brings it to the other (Qureshi et al., ISCA 2007). O(1).
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::lip {
namespace {

class Lip final : public PolicyCore<PageEntry, 1, 1> {
 public:
  Lip(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) { pages_.move_to_front(kOrder, page); }
  PageIndex victim() const { return pages_.back(kOrder); }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) { pages_.push_back(kOrder, page); }
  void describe(PolicyPicture& picture) const { picture.lists = {{"lip", numbers(kOrder)}}; }

 private:
  enum List : std::uint8_t { kOrder };
};

const ReplacementRegistration<Lip> registration{
    {.name = "lip", .summary = "LRU insertion", .source = "Qureshi et al., ISCA 2007", .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::lip
