#include "controllers/ftl/mapping/block_scan.hpp"

#include <algorithm>

namespace flashloom {

BlockScan::BlockScan(const FtlContext& context, const BlockTable& blocks, const OobLayout& layout)
    : SpareScan(context, blocks),
      layout_(layout),
      found_(blocks.size()),
      written_(std::size_t{blocks.size()} * context.geometry.pages),
      words_(std::size_t{blocks.size()} * context.geometry.units_per_block()) {}

Task<void> BlockScan::run() {
  co_await on_all_dies([this](BlockNumber block) { return scan(block); });
  co_await on_all_dies([this](BlockNumber block) { return read_if_log(block); });
}

Task<void> BlockScan::run_some(const std::vector<std::uint8_t>& wanted) {
  co_await on_all_dies([this, &wanted](BlockNumber block) { return wanted[block] != 0 ? scan(block) : skip(); });
}

Task<void> BlockScan::read_if_log(BlockNumber block) {
  if (found_[block].log) co_await read_log(block, layout_, log_);
}

Task<void> BlockScan::scan(BlockNumber block) {
  SpareRead spare = spare_read();
  const OnfiCommand& command = spare.command;
  Block& found = found_[block];
  for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
    co_await read_page(spare.command, block, page);
    if (command.status == FlashStatus::Erased) {
      if (context_.geometry.in_order_program) break;
      continue;
    }
    found.pages = page + 1;
    written_[index(block, page)] = 1;
    if (page == 0 && command.status == FlashStatus::Good && layout_.is_metadata(spare.words[0])) {
      found.log = true;
      co_return;
    }
    if (command.status == FlashStatus::Good) {
      found.sequence = command.sequence;
      newest_sequence_ = std::max(newest_sequence_, command.sequence);
      const std::size_t units = spare.words.size();
      std::copy_n(spare.words.begin(), units, words_.begin() + static_cast<std::ptrdiff_t>(index(block, page) * units));
    }
  }
  // An erase that was broken off leaves nothing that can be read.
  found.torn_erase = found.pages != 0 && found.sequence == 0;
}

}  // namespace flashloom
