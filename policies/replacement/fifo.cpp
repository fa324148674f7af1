// FIFO: evicts the page that entered longest ago; references do not matter. O(1).
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::fifo {
namespace {

class Fifo final : public PolicyCore<PageEntry, 1, 1> {
 public:
  static constexpr bool kInOrder = true;

  Fifo(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex, Access) {}
  PageIndex victim() const { return pages_.back(kQueue); }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) { pages_.push_front(kQueue, page); }
  void describe(PolicyPicture& picture) const { picture.lists = {{"fifo", numbers(kQueue)}}; }

 private:
  enum List : std::uint8_t { kQueue };  // youngest in front
};

const ReplacementRegistration<Fifo> registration{
    {.name = "fifo", .summary = "first in, first out", .source = "classic", .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::fifo
