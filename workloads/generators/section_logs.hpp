// The main area of a log-structured file system: a few logs write sections from start to end. Keeps the valid blocks of
// each section, and chooses the section to clean next.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace flashloom {

enum class CleanerPolicy : std::uint8_t { Greedy, CostBenefit };

class SectionLogs {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  /// `blocks`: blocks per section; `logical`: number of logical blocks.
  SectionLogs(std::uint32_t sections, std::uint32_t blocks, std::uint32_t logs, std::uint32_t logical);

  /// Whether the log must open a section for its next block.
  bool needs_section(std::uint32_t log) const { return open_[log].section == kNowhere; }
  /// Writes the logical block to the end of the log, and returns its place: section x blocks + index in the section. If
  /// the log needs a section, one must be free.
  std::uint32_t append(std::uint32_t log, std::uint32_t logical);
  /// Makes the place of the logical block, if it has one, invalid.
  void invalidate(std::uint32_t logical);
  std::uint32_t place_of(std::uint32_t logical) const { return place_[logical]; }

  std::uint32_t free_sections() const { return static_cast<std::uint32_t>(free_.size()); }
  /// Number of fully written sections without valid blocks; they can be used again after a checkpoint.
  std::uint32_t empty_sections() const { return static_cast<std::uint32_t>(empty_.size()); }
  /// Makes the empty sections free, and returns them.
  std::vector<std::uint32_t> take_empty();

  /// The section to clean: fully written, with invalid blocks. nullopt if there is none.
  std::optional<std::uint32_t> victim(CleanerPolicy policy) const;
  std::uint32_t valid_in(std::uint32_t section) const { return valid_[section]; }
  /// Valid logical blocks of the section, in order of their places.
  std::vector<std::uint32_t> blocks_in(std::uint32_t section) const;

 private:
  struct Log {
    std::uint32_t section = kNowhere;
    std::uint32_t next = 0;
  };
  enum class State : std::uint8_t { Free, Open, Full, Empty };

  double benefit(std::uint32_t section, std::uint64_t oldest) const;
  void note_empty(std::uint32_t section);

  std::uint32_t blocks_;
  std::vector<std::uint32_t> place_;  // by logical block
  std::vector<std::uint32_t> owner_;  // by place
  std::vector<std::uint32_t> valid_;  // by section
  std::vector<std::uint64_t> age_;    // by section: mean write time of its blocks; time counts blocks written
  std::vector<State> state_;
  std::vector<Log> open_;
  std::deque<std::uint32_t> free_;
  std::vector<std::uint32_t> empty_;
  std::uint64_t now_ = 0;
};

}  // namespace flashloom
