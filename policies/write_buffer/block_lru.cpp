// Block LRU: the logical block written longest ago leaves. O(1) a write, O(n log n) for the n pages of the block that
// leaves.
#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <vector>

#include "policies/write_buffer/write_buffer.hpp"

namespace flashloom {
namespace {

namespace intrusive = boost::intrusive;

class BlockLru final : public WriteBufferPolicy {
 public:
  explicit BlockLru(const WriteBufferContext& context)
      : pages_per_block_(context.pages_per_block),
        pages_(context.capacity),
        blocks_(context.capacity),
        buckets_(std::size_t{context.capacity} * 2 + 1),
        index_(Index::bucket_traits(buckets_.data(), buckets_.size())) {
    free_.reserve(context.capacity);
    for (std::uint32_t i = context.capacity; i-- > 0;) free_.push_back(&blocks_[i]);
  }

  void inserted(Slot slot, std::uint64_t page, Access) override {
    pages_[slot].page = page;
    Block& block = block_of(page);
    block.pages.push_back(pages_[slot]);
    touch(block);
  }
  void referenced(Slot slot, Access access) override {
    if (access == Access::Write) touch(*find(pages_[slot].page));
  }
  Slot victim() override {
    if (order_.empty()) return kNoSlot;
    const auto& pages = order_.front().pages;
    return slot_of(
        *std::min_element(pages.begin(), pages.end(), [](const Page& a, const Page& b) { return a.page < b.page; }));
  }
  void companions(Slot victim, std::vector<Slot>& slots) override {
    const auto first = static_cast<std::ptrdiff_t>(slots.size());
    for (const Page& page : find(pages_[victim].page)->pages)
      if (slot_of(page) != victim) slots.push_back(slot_of(page));
    std::sort(slots.begin() + first, slots.end(), [this](Slot a, Slot b) { return pages_[a].page < pages_[b].page; });
  }
  void removed(Slot slot) override {
    Block& block = *find(pages_[slot].page);
    block.pages.erase(block.pages.iterator_to(pages_[slot]));
    if (!block.pages.empty()) return;
    index_.erase(index_.iterator_to(block));
    order_.erase(order_.iterator_to(block));
    free_.push_back(&block);
  }
  void state(StateArchive& archive) override {
    std::vector<std::uint64_t> pages;  // (slot, page), blocks in order, pages as they came
    if (!archive.loading())
      for (const Block& block : order_)
        for (const Page& page : block.pages) pages.insert(pages.end(), {slot_of(page), page.page});
    archive(pages);
    if (archive.loading())
      for (std::size_t i = 0; i < pages.size(); i += 2)
        inserted(static_cast<Slot>(pages[i]), pages[i + 1], Access::Write);
  }

 private:
  struct Page : intrusive::list_base_hook<> {
    std::uint64_t page = 0;
  };
  struct Block : intrusive::list_base_hook<>, intrusive::unordered_set_base_hook<> {
    std::uint64_t number = 0;
    intrusive::list<Page, intrusive::constant_time_size<false>> pages;
  };
  struct NumberOf {
    using type = std::uint64_t;
    type operator()(const Block& block) const { return block.number; }
  };
  using Index = intrusive::unordered_set<Block, intrusive::key_of_value<NumberOf>>;

  Slot slot_of(const Page& page) const { return static_cast<Slot>(&page - pages_.data()); }
  Block* find(std::uint64_t page) {
    const auto found = index_.find(page / pages_per_block_);
    return found == index_.end() ? nullptr : &*found;
  }
  Block& block_of(std::uint64_t page) {
    if (Block* const known = find(page)) return *known;
    Block& block = *free_.back();
    free_.pop_back();
    block.number = page / pages_per_block_;
    index_.insert(block);
    order_.push_back(block);
    return block;
  }
  void touch(Block& block) { order_.splice(order_.end(), order_, order_.iterator_to(block)); }

  std::uint32_t pages_per_block_;
  std::vector<Page> pages_;  // by slot
  std::vector<Block> blocks_;
  std::vector<Block*> free_;
  std::vector<Index::bucket_type> buckets_;
  Index index_;
  intrusive::list<Block, intrusive::constant_time_size<false>> order_;  // least recently written first
};

const Registration<WriteBufferPolicy> registration{
    {.name = "block_lru",
     .summary = "least recently written logical block",
     .source = "BLOCK LRU of the NVRAM write buffer study (docs/buffer.md); compare BPLRU, Kim and Ahn, FAST 2008",
     .parameters = {}},
    [](const WriteBufferContext& context, const ParameterValues&) { return std::make_unique<BlockLru>(context); }};

}  // namespace
}  // namespace flashloom
