// Transcription of section 4 of Park, Jung, Yoon, Cha and Kang, "Utilization of Non-Volatile RAM Write Buffer for FTL":
// which logical block leaves the buffer. Every decision looks at all buffered pages. Beside the paper's four policies
// FAB and BPLRU, and the options that are ours (policies/write_buffer): `sequential` other than "literal", and `spare`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flashloom::papers {

class NvramWriteBuffer {
 public:
  NvramWriteBuffer(std::string policy, std::uint32_t pages_per_block, std::string sequential, double threshold = 0.5,
                   std::size_t spare = 0)
      : policy_(std::move(policy)),
        pages_(pages_per_block),
        mode_(std::move(sequential)),
        threshold_(threshold),
        spare_(spare) {}

  void write(std::uint64_t page) {
    const std::uint64_t block = page / pages_;
    const std::uint64_t offset = page % pages_;
    if (!buffered_.contains(page)) buffered_[page] = true;
    if (!entered_.contains(block)) entered_[block] = ++now_;
    written_[block] = referenced_[block] = ++now_;
    detect(block, offset);
    std::erase(recent_, block);
    if (spare_ == 0 || sequential(block)) return;
    recent_.push_back(block);
    if (recent_.size() > spare_) recent_.erase(recent_.begin());
  }
  // Figure 3: "if(offset is 0) set sequential_count to 1; else if(offset is sequential_count) add 1; else set to 0;
  // if(sequential_count is PAGES_PER_BLOCK) this block is sequential block". Nothing there resets it at an eviction.
  void detect(std::uint64_t block, std::uint64_t offset) {
    if (mode_ == "off") return;
    if (offset == 0)
      count_[block] = 1;
    else if (offset == count_[block])
      count_[block] += 1;
    else
      count_[block] = 0;
    if (count_[block] == pages_) sequential_[block] = true;
  }
  void read(std::uint64_t page) { referenced_[page / pages_] = ++now_; }
  void leave(std::uint64_t page) {
    buffered_.erase(page);
    const std::uint64_t block = page / pages_;
    if (!pages_of(block).empty()) return;
    for (auto* table : {&entered_, &written_, &referenced_}) table->erase(block);
    sequential_.erase(block);
    std::erase(recent_, block);
    if (mode_ == "reset") count_[block] = 0;
  }
  std::vector<std::uint64_t> pages_of(std::uint64_t block) const {
    std::vector<std::uint64_t> pages;
    for (const auto& [page, there] : buffered_)
      if (page / pages_ == block) pages.push_back(page);
    return pages;
  }
  bool sequential(std::uint64_t block) const { return sequential_.contains(block); }

  /// The block that is evicted next; the buffer is not empty. Of equal blocks one leaves by policies/write_buffer.
  std::uint64_t victim() const {
    // "What is written in order is found and chosen first."
    std::vector<std::uint64_t> first;  // sequential blocks
    std::vector<std::uint64_t> others;
    for (const auto& [block, when] : entered_) (sequential_.contains(block) ? first : others).push_back(block);
    if (!first.empty()) return least(first, stamps());
    std::erase_if(others,
                  [this](std::uint64_t block) { return std::count(recent_.begin(), recent_.end(), block) != 0; });
    if (others.empty()) return recent_.front();
    const auto count = [this](std::uint64_t block) { return pages_of(block).size(); };
    // 4.2.1 BLOCK LRU: "LRU by blocks; all pages of the block leave".
    if (policy_ == "block_lru" || policy_ == "bplru") return least(others, written_);
    // 4.2.2 PAGE NUM: "the block with many pages; a heap of the numbers of pages alone".
    if (policy_ == "page_num" || policy_ == "fab") {
      std::size_t most = 0;
      for (const std::uint64_t block : others) most = std::max(most, count(block));
      std::erase_if(others, [&](std::uint64_t block) { return count(block) != most; });
      return least(others, stamps());
    }
    // 4.2.3 BLOCK LRU + CLEAN LIST: "a block with more than a certain number of pages is in the CLEAN LIST, which is
    // chosen from first".
    if (policy_ == "clean_list") {
      std::vector<std::uint64_t> clean;
      for (const std::uint64_t block : others)
        if (count(block) > static_cast<std::size_t>(std::floor(threshold_ * static_cast<double>(pages_))))
          clean.push_back(block);
      return least(clean.empty() ? others : clean, written_);
    }
    // 4.2.4 GREEDY DUAL: "Greedy Cost = PAGE NUM * LRU_Value", the position in the LRU list, 1 for the most recent.
    std::sort(others.begin(), others.end(),
              [this](std::uint64_t a, std::uint64_t b) { return written_.at(a) > written_.at(b); });
    std::uint64_t best = 0;
    std::uint64_t best_cost = 0;
    for (std::size_t position = 1; position <= others.size(); ++position) {
      const std::uint64_t cost = count(others[position - 1]) * position;
      if (cost < best_cost) continue;
      best_cost = cost;
      best = others[position - 1];
    }
    return best;
  }

 private:
  using Times = std::map<std::uint64_t, std::uint64_t>;  // by block
  const Times& stamps() const { return policy_ == "page_num" ? entered_ : policy_ == "fab" ? referenced_ : written_; }
  static std::uint64_t least(const std::vector<std::uint64_t>& blocks, const Times& times) {
    return *std::min_element(blocks.begin(), blocks.end(),
                             [&](std::uint64_t a, std::uint64_t b) { return times.at(a) < times.at(b); });
  }

  std::string policy_;
  std::uint64_t pages_;
  std::string mode_;
  double threshold_;
  std::size_t spare_;
  std::vector<std::uint64_t> recent_;  // the last `spare` blocks written, not sequential
  std::uint64_t now_ = 0;
  std::map<std::uint64_t, bool> buffered_;  // by page
  Times entered_, written_, referenced_, count_;
  std::map<std::uint64_t, bool> sequential_;
};

}  // namespace flashloom::papers
