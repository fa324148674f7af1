#include "controllers/ftl/ftl_config.hpp"

#include "models/common/config_problem.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

static_assert(kMostHandles == kMaxStreams);

void check_config(const FtlConfig& ftl) {
  require(ftl.gc_low < ftl.gc_high, "ftl.gc_high", ftl.gc_high, " is not above ftl.gc_low, ", ftl.gc_low);
  require(ftl.logical_size % ftl.mapping_unit == 0, "ftl.logical_size", MessageBytes{ftl.logical_size},
          " is no multiple of ftl.mapping_unit, ", MessageBytes{ftl.mapping_unit});
  require(ftl.gc_unit == "superblock" || ftl.superblock_dies == 0, "ftl.superblock_dies",
          "needs ftl.gc_unit = \"superblock\"");
  require(ftl.gc_unit == "superblock" || ftl.superblock_by == "position", "ftl.superblock_by",
          "needs ftl.gc_unit = \"superblock\"; valid: position");
  require(ftl.gc_unit == "superblock" || ftl.rain == 0, "ftl.rain",
          "is parity over the members of superblocks, and needs ftl.gc_unit = \"superblock\"; valid: 0");
  require(ftl.rain != 0 || ftl.rain_memory == "dram", "ftl.rain_memory", "needs ftl.rain; valid: dram");
  require(!ftl.blocks_host() || ftl.gc_unit == "block", "ftl.gc_mode",
          "\"blocking\" copies out of one block at a time; valid with ftl.gc_unit = \"superblock\": paced");
  require(!ftl.blocks_host() || ftl.gc_pause == 0, "ftl.gc_pause",
          "bounds what a write waits for, which ftl.gc_mode = \"blocking\" does not; valid: 0");
  require(!ftl.blocks_host() || ftl.gc_background == 0, "ftl.gc_background",
          "ftl.gc_mode = \"blocking\" collects nothing in the background; valid: 0");
}

}  // namespace flashloom
