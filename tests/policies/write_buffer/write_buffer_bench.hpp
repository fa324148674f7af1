// A write buffer under a policy that evicts whole logical blocks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policies/registry.hpp"
#include "policies/write_buffer/write_buffer.hpp"

namespace flashloom {

/// Whether the policy has the parameter `spare`.
inline bool sparing(const std::string& name) { return name == "clean_list" || name == "page_num" || name == "fab"; }

inline PolicyChoice write_buffer_choice(const std::string& name, const std::string& sequential, double threshold = 0.5,
                                        std::int64_t spare = 0) {
  std::map<std::string, ParameterValue> values{{"sequential", sequential}};
  if (sparing(name)) values["spare"] = spare;
  if (name == "clean_list") values["threshold"] = threshold;
  return {name, ParameterValues(values)};
}

/// A buffer of `capacity` pages under a policy: it takes pages one by one and evicts when it is full.
class WriteBufferBench {
 public:
  WriteBufferBench(const PolicyChoice& policy, std::uint32_t capacity, std::uint32_t pages_per_block)
      : pages_per_block_(pages_per_block),
        policy_(Family<WriteBufferPolicy>::make(policy, {capacity, pages_per_block})),
        page_of_(capacity) {
    for (Slot slot = capacity; slot-- > 0;) free_.push_back(slot);
  }
  bool has(std::uint64_t page) const { return slots_.contains(page); }
  bool full() const { return free_.empty(); }
  void write(std::uint64_t page) {
    const auto found = slots_.find(page);
    if (found != slots_.end()) {
      policy_->referenced(found->second, Access::Write);
      return;
    }
    const Slot slot = free_.back();
    free_.pop_back();
    page_of_[slot] = page;
    slots_[page] = slot;
    policy_->inserted(slot, page, Access::Write);
  }
  void write(std::initializer_list<std::uint64_t> pages) {
    for (const std::uint64_t page : pages) write(page);
  }
  void read(std::uint64_t page) { policy_->referenced(slots_.at(page), Access::Read); }
  void drop(std::uint64_t page) {
    policy_->removed(slots_.at(page));
    free_.push_back(slots_.at(page));
    slots_.erase(page);
  }
  /// The pages of the block that is evicted next.
  std::vector<std::uint64_t> leaving() {
    std::vector<Slot> slots{policy_->victim()};
    policy_->companions(slots.front(), slots);
    std::vector<std::uint64_t> pages;
    for (const Slot slot : slots) pages.push_back(page_of_[slot]);
    return pages;
  }
  std::uint64_t victim() { return page_of_[policy_->victim()] / pages_per_block_; }
  void evict() {
    for (const std::uint64_t page : leaving()) drop(page);
  }

 private:
  std::uint32_t pages_per_block_;
  std::unique_ptr<WriteBufferPolicy> policy_;
  std::vector<std::uint64_t> page_of_;
  std::map<std::uint64_t, Slot> slots_;
  std::vector<Slot> free_;
};

}  // namespace flashloom
