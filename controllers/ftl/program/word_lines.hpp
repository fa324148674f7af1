// When a program can no longer be hurt by later ones of its block: on cells of several bits a power cut in the program
// of an upper page may destroy the lower pages of its word line, and cells that are programmed in two passes hold
// nothing before the second one.
#pragma once

#include <cstdint>
#include <vector>

#include "models/nand/nand_geometry.hpp"

namespace flashloom {

struct FtlConfig;

class WordLines {
 public:
  explicit WordLines(const NandGeometry& geometry);

  /// Pages do not hurt each other: every programmed page is safe.
  bool independent() const { return safe_.empty(); }
  /// With the first `programmed` pages of an erase unit programmed: so many first ones have whole word lines. Not of
  /// blocks in pseudo-SLC mode, where every page has.
  std::uint32_t safe(std::uint32_t programmed) const { return safe_.empty() ? programmed : safe_[programmed]; }
  /// Most pages that are programmed and not safe.
  std::uint32_t most_exposed() const { return most_exposed_; }

 private:
  void wait_for_second_passes(const NandGeometry& geometry);

  std::vector<std::uint32_t> safe_;
  std::uint32_t most_exposed_ = 0;
};

/// Units of host data that wait in an FTL that maps pages, at most, when one more comes: for their program units to
/// fill, and for what makes them safe. `streams`: with that of translation pages, if there is one.
std::uint32_t waiting_units(const FtlConfig& config, const NandGeometry& geometry, std::uint32_t streams);

}  // namespace flashloom
