// Common part of the write buffer policies: buffered pages by logical block, and the sequential detector; a policy adds
// only the order in which blocks are evicted.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "policies/write_buffer/sequential_detector.hpp"
#include "policies/write_buffer/write_buffer.hpp"

namespace flashloom {

/// A buffered page; its slot follows from its address in the array.
struct BufferedPage : boost::intrusive::list_base_hook<> {
  std::uint64_t page = 0;
};

/// A logical block with buffered pages.
struct BufferedBlock : boost::intrusive::unordered_set_base_hook<>,
                       boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>> {
  std::uint64_t number = 0;
  std::uint64_t stamp = 0;   ///< of its entry, last write or last reference: see StampOf
  std::uint64_t ranked = 0;  ///< the stamp that `place` is for; 0: none. For orders that need ranks
  std::uint32_t place = 0;   ///< RecencyRanks
  std::uint32_t count = 0;   ///< buffered pages
  bool sequential = false;
  bool spared = false;
  boost::intrusive::list<BufferedPage, boost::intrusive::constant_time_size<false>> pages;
};

struct OlderStamp {
  bool operator()(const BufferedBlock& a, const BufferedBlock& b) const { return a.stamp < b.stamp; }
};

/// Blocks by stamp, oldest first. A block is in at most one of these sets. O(log n); at the recent end O(1), amortised.
class BlocksByStamp {
 public:
  void insert(BufferedBlock& block) {
    if (set_.empty() || set_.rbegin()->stamp < block.stamp)
      set_.push_back(block);
    else
      set_.insert(block);
  }
  void erase(BufferedBlock& block) { set_.erase(set_.iterator_to(block)); }
  bool empty() const { return set_.empty(); }
  BufferedBlock& oldest() { return *set_.begin(); }

 private:
  boost::intrusive::set<BufferedBlock, boost::intrusive::compare<OlderStamp>,
                        boost::intrusive::constant_time_size<false>>
      set_;
};

/// Blocks by page count, those with one count by stamp. Finds the largest count in O(1) per 64 counts.
class BlocksByCount {
 public:
  explicit BlocksByCount(std::uint32_t pages_per_block) : sets_(pages_per_block + 1), any_(pages_per_block / 64 + 1) {}

  void insert(BufferedBlock& block) {
    sets_[block.count].insert(block);
    any_[block.count / 64] |= std::uint64_t{1} << block.count % 64;
  }
  void erase(BufferedBlock& block) {
    sets_[block.count].erase(block);
    if (sets_[block.count].empty()) any_[block.count / 64] &= ~(std::uint64_t{1} << block.count % 64);
  }
  BufferedBlock& oldest(std::uint32_t count) { return sets_[count].oldest(); }
  /// The largest count below `bound` of any block; 0 if there is none.
  std::uint32_t largest_below(std::uint32_t bound) const {
    for (std::size_t word = bound / 64 + 1; word-- > 0;) {
      std::uint64_t bits = word < any_.size() ? any_[word] : 0;
      if (word == bound / 64) bits &= (std::uint64_t{1} << bound % 64) - 1;
      if (bits != 0)
        return static_cast<std::uint32_t>(word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits)));
    }
    return 0;
  }
  std::uint32_t largest() const { return largest_below(static_cast<std::uint32_t>(sets_.size())); }

 private:
  std::vector<BlocksByStamp> sets_;  // by count
  std::vector<std::uint64_t> any_;   // a bit a count
};

/// What refreshes a block's stamp.
enum class StampOf : std::uint8_t { Entry, LastWrite, LastReference };

/// An order for BlockPolicy: evicts the block written longest ago.
struct OldestFirst {
  static constexpr StampOf kStamp = StampOf::LastWrite;
  OldestFirst(const WriteBufferContext&, const ParameterValues&) {}

  void enter(BufferedBlock& block) { blocks.insert(block); }
  void leave(BufferedBlock& block) { blocks.erase(block); }
  void gone(BufferedBlock&) {}
  BufferedBlock* first() { return blocks.empty() ? nullptr : &blocks.oldest(); }

  BlocksByStamp blocks;
};

/// Evicts the block with the most pages, ties to the oldest stamp.
template <StampOf kStampOf>
struct LargestFirst {
  static constexpr StampOf kStamp = kStampOf;
  LargestFirst(const WriteBufferContext& context, const ParameterValues&) : blocks(context.pages_per_block) {}

  void enter(BufferedBlock& block) { blocks.insert(block); }
  void leave(BufferedBlock& block) { blocks.erase(block); }
  void gone(BufferedBlock&) {}
  BufferedBlock* first() {
    const std::uint32_t count = blocks.largest();
    return count == 0 ? nullptr : &blocks.oldest(count);
  }

  BlocksByCount blocks;
};

/// `Order` chooses the block to evict, is constructed from (const WriteBufferContext&, const ParameterValues&), and has
///  * `static constexpr StampOf kStamp`;
///  * `void enter(BufferedBlock&)`, `void leave(BufferedBlock&)`: adds the block, with its stamp and count set, to the
///    order, and removes it (to enter again with other values, or because it is gone);
///  * `void gone(BufferedBlock&)`, after leave(): the block will not enter again; also called for some that never did;
///  * `BufferedBlock* first()`: the block to evict; null if the order is empty.
/// Sequential blocks are not in the order, and are evicted before all others, oldest stamp first. With the parameter
/// `spare`, the blocks written most recently are not in it either: they are evicted when there is nothing else.
/// Stamps begin at 1, are unique and rise; when a saved state is loaded, blocks enter in the order of their stamps.
template <class Order>
class BlockPolicy final : public WriteBufferPolicy {
 public:
  BlockPolicy(const WriteBufferContext& context, const ParameterValues& values, const EvictionTraits& traits)
      : WriteBufferPolicy(traits),
        pages_per_block_(context.pages_per_block),
        detector_(SequentialDetector::mode_of(values.get<std::string>("sequential")), context.pages_per_block),
        pages_(context.capacity),
        blocks_(context.capacity),
        buckets_(std::bit_ceil(std::size_t{context.capacity} * 2)),
        index_(typename Index::bucket_traits(buckets_.data(), buckets_.size())),
        order_(context, values),
        spare_(values.all().contains("spare") ? static_cast<std::size_t>(values.get<std::int64_t>("spare")) : 0) {
    recent_.reserve(spare_ + 1);
    free_.reserve(context.capacity);
    for (std::uint32_t i = context.capacity; i-- > 0;) free_.push_back(&blocks_[i]);
  }

  void inserted(Slot slot, std::uint64_t page, Access) override {
    pages_[slot].page = page;
    const std::uint64_t number = page / pages_per_block_;
    BufferedBlock* block = find(number);
    const bool fresh = block == nullptr;
    if (fresh)
      block = &add(number);
    else
      leave(*block);
    block->pages.push_back(pages_[slot]);
    ++block->count;
    if (fresh || Order::kStamp != StampOf::Entry) block->stamp = ++clock_;
    written(*block, page);
  }
  void referenced(Slot slot, Access access) override {
    if (access == Access::Read && Order::kStamp != StampOf::LastReference) return;
    const std::uint64_t page = pages_[slot].page;
    BufferedBlock& block = *find(page / pages_per_block_);
    leave(block);
    if (Order::kStamp != StampOf::Entry) block.stamp = ++clock_;
    if (access == Access::Write)
      written(block, page);
    else
      enter(block);
  }
  Slot victim() override {
    const BufferedBlock* block = sequential_.empty() ? order_.first() : &sequential_.oldest();
    if (block == nullptr && !recent_.empty()) block = recent_.front();
    if (block == nullptr) return kNoSlot;
    const auto& pages = block->pages;
    return slot_of(*std::min_element(pages.begin(), pages.end(),
                                     [](const BufferedPage& a, const BufferedPage& b) { return a.page < b.page; }));
  }
  void companions(Slot victim, std::vector<Slot>& slots) override {
    const auto first = static_cast<std::ptrdiff_t>(slots.size());
    for (const BufferedPage& page : find(pages_[victim].page / pages_per_block_)->pages)
      if (slot_of(page) != victim) slots.push_back(slot_of(page));
    std::sort(slots.begin() + first, slots.end(), [this](Slot a, Slot b) { return pages_[a].page < pages_[b].page; });
  }
  void removed(Slot slot) override {
    BufferedBlock& block = *find(pages_[slot].page / pages_per_block_);
    leave(block);
    block.pages.erase(block.pages.iterator_to(pages_[slot]));
    if (--block.count != 0) {
      enter(block);
      return;
    }
    if (!block.sequential) order_.gone(block);
    if (block.spared) std::erase(recent_, &block);
    detector_.left(block.number);
    index_.erase(index_.iterator_to(block));
    free_.push_back(&block);
  }
  void state(StateArchive& archive) override {
    std::vector<std::uint64_t> saved;  // blocks by stamp: number, stamp, sequential, count, each page's slot and number
    if (!archive.loading()) {
      std::vector<const BufferedBlock*> blocks;
      for (const BufferedBlock& block : index_) blocks.push_back(&block);
      std::sort(blocks.begin(), blocks.end(), [](const auto* a, const auto* b) { return a->stamp < b->stamp; });
      for (const BufferedBlock* block : blocks) {
        saved.insert(saved.end(), {block->number, block->stamp, block->sequential, block->count});
        for (const BufferedPage& page : block->pages) saved.insert(saved.end(), {slot_of(page), page.page});
      }
    }
    archive(saved, clock_);
    detector_.state(archive);
    std::vector<std::uint64_t> spared;
    if (spare_ != 0) {
      for (const BufferedBlock* block : recent_) spared.push_back(block->number);
      archive(spared);
    }
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < saved.size();) {
      BufferedBlock& block = add(saved[i]);
      block.stamp = saved[i + 1];
      block.sequential = saved[i + 2] != 0;
      block.count = static_cast<std::uint32_t>(saved[i + 3]);
      i += 4;
      for (std::uint32_t page = 0; page < block.count; ++page, i += 2) {
        BufferedPage& in_slot = pages_[saved[i]];
        in_slot.page = saved[i + 1];
        block.pages.push_back(in_slot);
      }
      block.spared = std::find(spared.begin(), spared.end(), block.number) != spared.end();
      enter(block);
    }
    for (const std::uint64_t number : spared) recent_.push_back(find(number));
  }

 private:
  struct NumberOf {
    using type = std::uint64_t;
    type operator()(const BufferedBlock& block) const { return block.number; }
  };
  using Index = boost::intrusive::unordered_set<BufferedBlock, boost::intrusive::key_of_value<NumberOf>,
                                                boost::intrusive::power_2_buckets<true>>;

  Slot slot_of(const BufferedPage& page) const { return static_cast<Slot>(&page - pages_.data()); }
  BufferedBlock* find(std::uint64_t number) {
    const auto found = index_.find(number);
    return found == index_.end() ? nullptr : &*found;
  }
  BufferedBlock& add(std::uint64_t number) {
    BufferedBlock& block = *free_.back();
    free_.pop_back();
    block.number = number;
    block.count = 0;
    block.ranked = 0;
    block.sequential = block.spared = false;
    index_.insert(block);
    return block;
  }
  void written(BufferedBlock& block, std::uint64_t page) {
    const bool found = detector_.written(block.number, static_cast<std::uint32_t>(page % pages_per_block_));
    if (found && !std::exchange(block.sequential, true)) order_.gone(block);
    if (spare_ != 0) spare(block);
    enter(block);
  }
  // The block has left the order. A sequential block is not spared, since no more writes are expected.
  void spare(BufferedBlock& block) {
    if (block.spared) std::erase(recent_, &block);
    block.spared = !block.sequential;
    if (!block.spared) return;
    recent_.push_back(&block);
    if (recent_.size() <= spare_) return;
    BufferedBlock& oldest = *recent_.front();
    recent_.erase(recent_.begin());
    oldest.spared = false;
    order_.enter(oldest);
  }
  void enter(BufferedBlock& block) {
    if (block.sequential)
      sequential_.insert(block);
    else if (!block.spared)
      order_.enter(block);
  }
  void leave(BufferedBlock& block) {
    if (block.sequential)
      sequential_.erase(block);
    else if (!block.spared)
      order_.leave(block);
  }

  std::uint32_t pages_per_block_;
  SequentialDetector detector_;
  std::vector<BufferedPage> pages_;  // by slot
  std::vector<BufferedBlock> blocks_;
  std::vector<BufferedBlock*> free_;
  std::vector<typename Index::bucket_type> buckets_;
  Index index_;
  Order order_;
  std::size_t spare_;
  std::vector<BufferedBlock*> recent_;  // spared blocks, the one written longest ago first
  BlocksByStamp sequential_;
  std::uint64_t clock_ = 0;
};

/// For policies that go by size alone: without sparing they would evict the very block that is being written.
inline ParameterSpec spare_parameter() {
  return {.name = "spare",
          .default_value = std::int64_t{0},
          .dimension = Dimension::None,
          .minimum = 0,
          .maximum = 4096,
          .choices = {},
          .help = "so many blocks written most recently stay while there are others (0, as published)"};
}

inline constexpr EvictionTraits kWholeBlocks{.ghosts = false, .companions = true};

/// A factory for Registration.
template <class Order, const EvictionTraits& kTraits = kWholeBlocks>
std::unique_ptr<WriteBufferPolicy> make_block_policy(const WriteBufferContext& context, const ParameterValues& values) {
  return std::make_unique<BlockPolicy<Order>>(context, values, kTraits);
}

}  // namespace flashloom
