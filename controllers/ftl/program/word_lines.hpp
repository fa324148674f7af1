// When later programs of a block can no longer corrupt a program: on multi-bit cells, a power cut while an upper page
// is programmed may destroy the lower pages of its word line, and cells programmed in two passes hold no data before
// the second pass.
#pragma once

#include <cstdint>
#include <vector>

#include "models/nand/nand_geometry.hpp"

namespace flashloom {

struct FtlConfig;

class WordLines {
 public:
  explicit WordLines(const NandGeometry& geometry);

  /// Pages do not disturb each other: every programmed page is safe.
  bool independent() const { return safe_.empty(); }
  /// Number of leading pages of an erase unit whose word lines are complete when its first `programmed` pages are
  /// programmed. Not for blocks in pseudo-SLC mode, where every page is safe.
  std::uint32_t safe(std::uint32_t programmed) const { return safe_.empty() ? programmed : safe_[programmed]; }
  /// Most pages that can be programmed but not safe.
  std::uint32_t most_exposed() const { return most_exposed_; }

 private:
  void wait_for_second_passes(const NandGeometry& geometry);

  std::vector<std::uint32_t> safe_;
  std::uint32_t most_exposed_ = 0;
};

/// Most units of host data that can wait in a page-mapped FTL when one more arrives, for their program units to fill or
/// to become safe. `streams`: including that of translation pages, if any.
std::uint32_t waiting_units(const FtlConfig& config, const NandGeometry& geometry, std::uint32_t streams);

}  // namespace flashloom
