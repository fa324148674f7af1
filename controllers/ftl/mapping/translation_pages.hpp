// Layout of a demand-paged map in translation pages, one mapping unit each: the entries of consecutive logical units.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/mapping/map_cache.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

class TranslationPages {
 public:
  /// Layout of the map of `host_units`. The geometry must outlive it.
  TranslationPages(const NandGeometry& geometry, std::uint64_t host_units)
      : geometry_(geometry), entry_(map_entry_bytes(geometry)), host_units_(host_units) {}

  std::uint32_t entries() const { return geometry_.unit_bytes / entry_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>((host_units_ + entries() - 1) / entries()); }
  /// Range of units whose entries the page holds: first() to end() - 1.
  std::uint32_t first(TranslationPage page) const { return page * entries(); }
  std::uint32_t end(TranslationPage page) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(first(page) + std::uint64_t{entries()}, host_units_));
  }
  /// The frames of a page that hold the entries of units `first` to `last`, or to the end of the page.
  NandGeometry::ReadSpan span(std::uint32_t first, std::uint32_t last) const {
    const std::uint32_t begin = first % entries();
    const std::uint32_t end = std::min(begin + (last - first), entries() - 1) + 1;
    return geometry_.read_span(1, begin * entry_, end * entry_);
  }
  NandGeometry::ReadSpan whole() const { return {0, geometry_.unit_bytes}; }

 private:
  const NandGeometry& geometry_;
  std::uint32_t entry_;  // bytes
  std::uint64_t host_units_;
};

}  // namespace flashloom
