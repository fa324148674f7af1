// The keys of [nand] about multi-bit cells and partially programmed blocks.
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_cells(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nand")
      .count("senses", FLASHLOOM_MEMBER(nand.senses), 1, 16,
             "how often the array senses for a page of each type, lower page first, 2^bits - 1 in all: TLC [1, 2, 4] "
             "or [2, 3, 2], QLC [1, 2, 4, 8] or [4, 4, 4, 3]; tR is read_setup + this x sense_time; []: as read_time "
             "says")
      .time("sense_time", FLASHLOOM_MEMBER(nand.sense_time), 1,
            "of nand.senses, each: precharge, evaluation and discharge (Park et al., ASPLOS 2021)")
      .time("read_setup", FLASHLOOM_MEMBER(nand.read_setup), 0, "with nand.senses, of each read beside them")
      .count("open_read_factor", FLASHLOOM_MEMBER(nand.open_read_factor), 1, 10,
             "of tR, in blocks that are not full; 1: none")
      .key("partial_erase_limit", FLASHLOOM_MEMBER(nand.partial_erase_limit), Quantity::Ratio, {0, 1},
           "share of a block's pages that must be programmed before its erase, unless it has none; firmware programs "
           "padding; 0: no limit");
}

}  // namespace flashloom
