// Greedy: the closed block with the fewest valid units, ties to the one closed or invalidated longest ago.
// O(1) by buckets: one intrusive list a valid count, and a cursor to the lowest non-empty one.
#include <boost/intrusive/list.hpp>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::greedy {
namespace {

class Greedy final : public GarbageCollectionPolicy {
 public:
  explicit Greedy(const GarbageCollectionContext& context)
      : nodes_(context.blocks), buckets_(context.units_per_block + 1), lowest_(buckets_.size()) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override { insert(block, valid_units); }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    removed(block);
    insert(block, valid_units);
  }
  std::uint32_t victim(std::uint64_t) override {
    while (lowest_ < buckets_.size() && buckets_[lowest_].empty()) ++lowest_;
    if (lowest_ == buckets_.size()) return kNoBlock;
    return static_cast<std::uint32_t>(&buckets_[lowest_].front() - nodes_.data());
  }
  void removed(std::uint32_t block) override { nodes_[block].unlink(); }
  void prefetch(std::uint32_t block) const override { __builtin_prefetch(&nodes_[block]); }
  void state(StateArchive& archive) override {
    struct Place {
      std::uint32_t block;
      std::uint32_t valid_units;
    };
    std::vector<Place> order;
    if (!archive.loading())
      for (std::uint32_t valid = 0; valid < buckets_.size(); ++valid)
        for (const Node& node : buckets_[valid])
          order.push_back({static_cast<std::uint32_t>(&node - nodes_.data()), valid});
    archive(order);
    if (archive.loading())
      for (const Place& place : order) insert(place.block, place.valid_units);
  }

 private:
  using Node = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  using Bucket = boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>>;

  void insert(std::uint32_t block, std::uint32_t valid_units) {
    buckets_[valid_units].push_back(nodes_[block]);
    if (valid_units < lowest_) lowest_ = valid_units;
  }

  std::vector<Node> nodes_;
  std::vector<Bucket> buckets_;
  std::size_t lowest_;  // no bucket below this one holds a block
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "greedy",
     .summary = "fewest valid units first",
     .source = "Rosenblum and Ousterhout, The Design and Implementation of a Log-Structured File System, 1992",
     .parameters = {}},
    [](const GarbageCollectionContext& context, const ParameterValues&) { return std::make_unique<Greedy>(context); }};

}  // namespace
}  // namespace flashloom::garbage_collection::greedy
