// Recovery by scanning the out-of-band words of every programmed page: the newest version of each unit wins; among
// copies of one version, the one in the block that was opened last (so that a block whose collection was cut short can
// be erased).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/unit_map.hpp"

namespace flashloom {

class OobScan {
 public:
  /// A partly written block.
  struct Unfinished {
    std::uint32_t die;
    BlockNumber block;
    std::uint32_t room;  ///< pages
  };
  struct Result {
    std::uint64_t newest_version = 0;
    std::uint64_t newest_sequence = 0;
    std::vector<Unfinished> unfinished;
    std::vector<BlockNumber> to_erase;  ///< free, but not erased, or not wholly
  };

  OobScan(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map);

  /// Fills the map and the block table; reads die by die, all dies at once. Costs a read of the spare area a page.
  Task<Result> run();

 private:
  struct BlockFound {
    std::uint32_t pages = 0;     ///< programmed, torn ones included
    std::uint64_t sequence = 0;  ///< when it was opened
    bool torn_erase = false;
  };

  Task<void> scan_die(std::uint32_t die);
  void take(PhysicalUnit place, OobWord word);

  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  UnitMap& map_;
  std::vector<std::uint64_t> versions_;  // of what the map holds
  std::vector<BlockFound> found_;
  Result result_;
  std::uint32_t dies_left_ = 0;
  WaitList done_;
};

}  // namespace flashloom
