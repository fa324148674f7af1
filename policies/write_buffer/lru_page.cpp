// Page LRU, the baseline: evicts only the page written longest ago. O(1).
#include <boost/intrusive/list.hpp>
#include <vector>

#include "policies/registry.hpp"
#include "policies/write_buffer/write_buffer.hpp"

namespace flashloom::write_buffer::lru_page {
namespace {

class LruPage final : public WriteBufferPolicy {
 public:
  explicit LruPage(const WriteBufferContext& context)
      : WriteBufferPolicy({.ghosts = false, .companions = false}), pages_(context.capacity) {}

  void inserted(Slot slot, std::uint64_t, Access) override { order_.push_back(pages_[slot]); }
  void referenced(Slot slot, Access access) override {
    if (access == Access::Write) order_.splice(order_.end(), order_, order_.iterator_to(pages_[slot]));
  }
  Slot victim() override { return order_.empty() ? kNoSlot : static_cast<Slot>(&order_.front() - pages_.data()); }
  void removed(Slot slot) override { order_.erase(order_.iterator_to(pages_[slot])); }
  void state(StateArchive& archive) override {
    std::vector<Slot> slots;
    for (const Page& page : order_) slots.push_back(static_cast<Slot>(&page - pages_.data()));
    archive(slots);
    if (archive.loading())
      for (const Slot slot : slots) order_.push_back(pages_[slot]);
  }

 private:
  using Page = boost::intrusive::list_base_hook<>;
  std::vector<Page> pages_;                                                          // by slot
  boost::intrusive::list<Page, boost::intrusive::constant_time_size<false>> order_;  // least recently written first
};

const Registration<WriteBufferPolicy> registration{
    {.name = "lru_page",
     .summary = "least recently written page, alone: the control",
     .source = "textbook; the control of the write buffer studies",
     .parameters = {}},
    [](const WriteBufferContext& context, const ParameterValues&) { return std::make_unique<LruPage>(context); }};

}  // namespace
}  // namespace flashloom::write_buffer::lru_page
