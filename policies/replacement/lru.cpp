// LRU: the slot referenced longest ago leaves. O(1), one intrusive list over the slots.
#include <boost/intrusive/list.hpp>
#include <vector>

#include "policies/replacement/replacement.hpp"

namespace flashloom {
namespace {

class Lru final : public ReplacementPolicy {
 public:
  explicit Lru(const ReplacementContext& context) : nodes_(context.capacity) {}

  void inserted(Slot slot, std::uint64_t, Access) override { order_.push_back(nodes_[slot]); }
  void referenced(Slot slot, Access) override { order_.splice(order_.end(), order_, order_.iterator_to(nodes_[slot])); }
  Slot victim() override { return order_.empty() ? kNoSlot : static_cast<Slot>(&order_.front() - nodes_.data()); }
  void removed(Slot slot) override { order_.erase(order_.iterator_to(nodes_[slot])); }
  void state(StateArchive& archive) override {
    std::vector<Slot> slots;
    if (!archive.loading())
      for (const Node& node : order_) slots.push_back(static_cast<Slot>(&node - nodes_.data()));
    archive(slots);
    if (archive.loading())
      for (const Slot slot : slots) order_.push_back(nodes_[slot]);
  }

 private:
  using Node = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;
  std::vector<Node> nodes_;
  boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>> order_;  // least recent first
};

const Registration<ReplacementPolicy> registration{
    {.name = "lru", .summary = "least recently used", .source = "classic", .parameters = {}},
    [](const ReplacementContext& context, const ParameterValues&) { return std::make_unique<Lru>(context); }};

}  // namespace
}  // namespace flashloom
