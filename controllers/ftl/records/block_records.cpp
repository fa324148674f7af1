#include "controllers/ftl/records/block_records.hpp"

#include "controllers/ftl/ftl.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

BlockRecords::BlockRecords(const FtlContext& context, const BlockNumbers& numbers)
    : BlockNumbers(numbers),
      erases_(size()),
      bank_erases_(banks()),
      pages_(context.geometry.pages),
      slc_pages_(context.geometry.slc_pages),
      whole_units_per_page_(context.geometry.whole_units_per_page),
      second_passes_(context.geometry.two_passes ? context.geometry.program_pages : 0),
      blocks_(size()) {
  for (std::uint32_t die = 0; die < dies(); ++die)
    if (context.media.dead(Die{die})) dead_die_ = die;
  for (BlockNumber block = 0; block < size(); ++block) {
    const Die die{die_of(block)};
    const Block in_die{block_of_die(block)};
    erases_[block] = context.media.erase_count(die, in_die);
    blocks_[block].slc = blocks_[block].apart = context.geometry.in_slc_mode(in_die);
    blocks_[block].failed = context.media.failed(die, in_die);
    if (!blocks_[block].apart) bank_erases_[bank_of(block)] += erases_[block];
  }
}

}  // namespace flashloom
