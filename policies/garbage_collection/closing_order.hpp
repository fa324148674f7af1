// The closed blocks of a die in the order in which they were closed. O(1) for every event.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"

namespace flashloom {

class ClosingOrder {
 public:
  explicit ClosingOrder(const GarbageCollectionContext& context)
      : units_per_block_(context.units_per_block), nodes_(context.blocks), valid_(context.blocks) {}

  void closed(std::uint32_t block, std::uint32_t valid_units) {
    valid_[block] = valid_units;
    order_.push_back(nodes_[block]);
    if (valid_units != units_per_block_) ++with_gain_;
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units) {
    if (valid_[block] == units_per_block_) ++with_gain_;
    valid_[block] = valid_units;
  }
  void removed(std::uint32_t block) {
    order_.erase(order_.iterator_to(nodes_[block]));
    if (valid_[block] != units_per_block_) --with_gain_;
  }

  /// The block with the fewest valid units among the `window` blocks closed first, ties to the one closed first;
  /// kNoBlock if no closed block has an invalid unit. While no block in the window has one, its first block moves to
  /// the end, as if it had been collected, which would copy it unchanged. O(window), and O(1) for each block moved to
  /// the end.
  std::uint32_t fewest_valid_of_first(std::uint32_t window) {
    if (with_gain_ == 0) return kNoBlock;
    for (;;) {
      std::uint32_t best = kNoBlock;
      std::uint32_t looked = 0;
      for (auto node = order_.begin(); node != order_.end() && looked < window; ++node, ++looked) {
        const std::uint32_t block = number(*node);
        if (best == kNoBlock || valid_[block] < valid_[best]) best = block;
      }
      if (valid_[best] != units_per_block_) return best;
      order_.splice(order_.end(), order_, order_.begin());
    }
  }

  void state(StateArchive& archive) {
    std::vector<std::uint32_t> blocks;
    for (const Node& node : order_) blocks.push_back(number(node));
    archive(blocks, valid_, with_gain_);
    if (archive.loading())
      for (const std::uint32_t block : blocks) order_.push_back(nodes_[block]);
  }

 private:
  using Node = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;

  std::uint32_t number(const Node& node) const { return static_cast<std::uint32_t>(&node - nodes_.data()); }

  std::uint32_t units_per_block_;
  std::vector<Node> nodes_;
  boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>> order_;  // closed first, first
  std::vector<std::uint32_t> valid_;
  std::uint32_t with_gain_ = 0;  // closed blocks with an invalid unit
};

}  // namespace flashloom
