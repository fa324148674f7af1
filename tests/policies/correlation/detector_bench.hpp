// A write buffer with a detector of correlated sets.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policies/correlation/correlation.hpp"
#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"

namespace flashloom {

/// A buffer of 64 pages whose writes and removals are told to a detector of the family.
class DetectorBench {
 public:
  using Pages = std::vector<std::uint64_t>;
  static constexpr std::uint32_t kSlots = 64;

  DetectorBench(const std::string& name, std::map<std::string, ParameterValue> values)
      : choice_{name, ParameterValues(values)} {
    detector_ = Family<CorrelationDetector>::make(choice_, {kSlots, 16});
    for (Slot slot = kSlots; slot-- > 0;) free_.push_back(slot);
  }

  void write(std::uint64_t page, std::uint64_t request = 0) {
    if (!slots_.contains(page)) {
      slots_[page] = free_.back();
      page_of_[free_.back()] = page;
      free_.pop_back();
    }
    detector_->written(slots_[page], page, request);
  }
  void write(std::initializer_list<std::uint64_t> pages, std::uint64_t request = 0) {
    for (const std::uint64_t page : pages) write(page, request);
  }
  void remove(std::uint64_t page) {
    detector_->removed(slots_.at(page));
    free_.push_back(slots_.at(page));
    slots_.erase(page);
  }
  Pages set_of(std::uint64_t page) {
    std::vector<Slot> members = {kNoSlot};  // set_of() must keep what is there
    detector_->set_of(slots_.at(page), members);
    EXPECT_EQ(members.front(), kNoSlot);
    Pages pages;
    for (std::size_t i = 1; i < members.size(); ++i) pages.push_back(page_of_.at(members[i]));
    return pages;
  }
  bool has(std::uint64_t page) const { return slots_.contains(page); }
  bool full() const { return free_.empty(); }
  Pages pages() const {
    Pages all;
    for (const auto& [page, slot] : slots_) all.push_back(page);
    return all;
  }
  /// Replaces the detector by a new one that loads its saved state.
  void reload() {
    const std::string bytes = saved(*detector_);
    detector_ = Family<CorrelationDetector>::make(choice_, {kSlots, 16});
    ASSERT_TRUE(load_state(*detector_, bytes));
    ASSERT_EQ(saved(*detector_), bytes);
  }

 private:
  PolicyChoice choice_;
  std::unique_ptr<CorrelationDetector> detector_;
  std::map<std::uint64_t, Slot> slots_;
  std::map<Slot, std::uint64_t> page_of_;
  std::vector<Slot> free_;
};

}  // namespace flashloom
