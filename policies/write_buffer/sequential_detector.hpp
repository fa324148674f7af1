// Finds logical blocks that are written wholly and in order: these are unlikely to be written again soon, and cheapest
// to write out, so a write buffer evicts them first. Figure 3 of the NVRAM write buffer study (docs/reference/write_buffer.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/parameters.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// Counts, for each logical block, consecutive page writes from its first page on. A block whose count reaches its last
/// page is sequential. O(1) a write; 4 B a logical block up to the highest one written.
class SequentialDetector {
 public:
  enum class Mode : std::uint8_t {
    Off,      ///< nothing is sequential
    Literal,  ///< as published: counts persist when a block is evicted, so part of a sequential block may be gone
    Reset,    ///< the count restarts when the block leaves the buffer
  };

  SequentialDetector(Mode mode, std::uint32_t pages_per_block) : mode_(mode), pages_per_block_(pages_per_block) {}

  /// Page `offset` of `block` is written; returns whether the block is sequential now.
  bool written(std::uint64_t block, std::uint32_t offset) {
    if (mode_ == Mode::Off) return false;
    if (block >= counts_.size()) counts_.resize(block + 1 + block / 2);
    std::uint32_t& count = counts_[block];
    if (offset == 0)
      count = 1;
    else if (offset == count)
      ++count;
    else
      count = 0;
    return count == pages_per_block_;
  }

  /// `block` has no page in the buffer any more.
  void left(std::uint64_t block) {
    if (mode_ == Mode::Reset) counts_[block] = 0;
  }

  void state(StateArchive& archive) { archive(counts_); }

  static Mode mode_of(const std::string& name) {
    return name == "off" ? Mode::Off : name == "literal" ? Mode::Literal : Mode::Reset;
  }

 private:
  Mode mode_;
  std::uint32_t pages_per_block_;
  std::vector<std::uint32_t> counts_;  // by logical block
};

/// The parameter that chooses the mode.
inline ParameterSpec sequential_parameter(const char* by_default) {
  return {.name = "sequential",
          .default_value = std::string(by_default),
          .dimension = Dimension::None,
          .choices = {"off", "literal", "reset"},
          .help =
              "blocks written wholly in order leave first: off, literal (as published), reset (counted anew "
              "when a block has left)"};
}

}  // namespace flashloom
