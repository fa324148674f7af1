// LRU: the slot referenced longest ago leaves. O(1), one intrusive list over the slots, one more over the clean ones.
#include <boost/intrusive/list.hpp>
#include <vector>

#include "policies/replacement/replacement.hpp"

namespace flashloom {
namespace {

namespace intrusive = boost::intrusive;

class Lru final : public ReplacementPolicy {
 public:
  explicit Lru(const ReplacementContext& context) : nodes_(context.capacity) {}

  void inserted(Slot slot, std::uint64_t, Access access) override {
    order_.push_back(nodes_[slot]);
    if (access == Access::Read) clean_.push_back(nodes_[slot]);
  }
  void referenced(Slot slot, Access access) override {
    Node& node = nodes_[slot];
    order_.splice(order_.end(), order_, order_.iterator_to(node));
    if (!is_clean(node)) return;
    clean_.erase(clean_.iterator_to(node));
    if (access == Access::Read) clean_.push_back(node);
  }
  Slot victim() override { return order_.empty() ? kNoSlot : slot_of(order_.front()); }
  Slot clean_victim() override { return clean_.empty() ? kNoSlot : slot_of(clean_.front()); }
  void removed(Slot slot) override {
    Node& node = nodes_[slot];
    order_.erase(order_.iterator_to(node));
    if (is_clean(node)) clean_.erase(clean_.iterator_to(node));
  }
  void state(StateArchive& archive) override {
    std::vector<Slot> slots;
    std::vector<Slot> clean;
    for (const Node& node : order_) slots.push_back(slot_of(node));
    for (const Node& node : clean_) clean.push_back(slot_of(node));
    archive(slots, clean);
    if (!archive.loading()) return;
    for (const Slot slot : slots) order_.push_back(nodes_[slot]);
    for (const Slot slot : clean) clean_.push_back(nodes_[slot]);
  }

 private:
  struct Order;
  struct Clean;
  using OrderHook = intrusive::list_base_hook<intrusive::tag<Order>, intrusive::link_mode<intrusive::normal_link>>;
  using CleanHook = intrusive::list_base_hook<intrusive::tag<Clean>>;
  struct Node : OrderHook, CleanHook {};
  static bool is_clean(const Node& node) { return static_cast<const CleanHook&>(node).is_linked(); }
  Slot slot_of(const Node& node) const { return static_cast<Slot>(&node - nodes_.data()); }

  std::vector<Node> nodes_;
  intrusive::list<Node, intrusive::base_hook<OrderHook>, intrusive::constant_time_size<false>> order_;  // oldest first
  intrusive::list<Node, intrusive::base_hook<CleanHook>, intrusive::constant_time_size<false>> clean_;
};

const Registration<ReplacementPolicy> registration{
    {.name = "lru", .summary = "least recently used", .source = "classic", .parameters = {}},
    [](const ReplacementContext& context, const ParameterValues&) { return std::make_unique<Lru>(context); }};

}  // namespace
}  // namespace flashloom
