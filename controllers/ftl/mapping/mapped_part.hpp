// What the parts of an FTL that is derived from MappedFtl share with it: its tables.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

/// Base of the parts. The FTL makes one of its own tables, and every part copies it.
class MappedPart {
 public:
  MappedPart(const FtlContext& context, const OobLayout& layout, UnitMap& map, BlockTable& blocks,
             FtlStatistics& statistics, Programmer& programmer)
      : context_(context),
        layout_(layout),
        map_(map),
        blocks_(blocks),
        statistics_(statistics),
        programmer_(programmer),
        units_per_program_(context.geometry.units_per_program()) {}

 protected:
  /// Number of host units written: the age that policies see.
  std::uint64_t age() const { return statistics_.units_written; }
  void count_padded(std::uint32_t units) {
    statistics_.units_padded += units;
    statistics_.streams[0].units_padded += units;
  }
  /// The word in the spare area of a unit of a block, from firmware memory or from flash.
  OobWord word_of(BlockNumber block, std::uint32_t position) const;
  /// The die with the most free erase units.
  std::uint32_t roomiest_die() const;

  const FtlContext& context_;
  const OobLayout& layout_;
  UnitMap& map_;
  BlockTable& blocks_;
  FtlStatistics& statistics_;
  Programmer& programmer_;
  const std::uint32_t units_per_program_;
};

}  // namespace flashloom
