// What the parts of an FTL that is derived from MappedFtl share with it.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

/// The tables of a MappedFtl.
struct MappedTables {
  const FtlContext& context;
  const OobLayout& layout;
  UnitMap& map;
  BlockTable& blocks;
  FtlStatistics& statistics;
  Programmer& programmer;
};

/// Base of the parts.
class MappedPart {
 protected:
  explicit MappedPart(const MappedTables& tables)
      : context_(tables.context),
        layout_(tables.layout),
        map_(tables.map),
        blocks_(tables.blocks),
        statistics_(tables.statistics),
        programmer_(tables.programmer),
        units_per_program_(tables.context.geometry.units_per_program()) {}

  /// Number of host units written: the age that policies see.
  std::uint64_t age() const { return statistics_.units_written; }
  void count_padded(std::uint32_t units) {
    statistics_.units_padded += units;
    statistics_.streams[0].units_padded += units;
  }

  const FtlContext& context_;
  const OobLayout& layout_;
  UnitMap& map_;
  BlockTable& blocks_;
  FtlStatistics& statistics_;
  Programmer& programmer_;
  const std::uint32_t units_per_program_;
};

}  // namespace flashloom
