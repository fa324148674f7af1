#include "controllers/ftl/mapping/block_scan.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

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
  co_await on_all_dies(
      [this, &wanted](BlockNumber block) { return wanted[block] != 0 ? scan(block) : Task<void>::over(); });
}

Task<void> BlockScan::read_if_log(BlockNumber block) {
  if (found_[block].log) co_await read_log(block, layout_, log_);
}

Task<void> BlockScan::scan(BlockNumber block) {
  SpareRead spare = spare_read();
  Block& found = found_[block];
  for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
    const std::uint8_t known = known_.empty() ? std::uint8_t{kNot} : known_[index(block, page)];
    if (known == kNot) co_await read_page(spare.command, block, page);
    if (known == kErased || (known == kNot && spare.command.status == FlashStatus::Erased)) {
      if (context_.geometry.in_order_program) break;
      continue;
    }
    found.pages = page + 1;
    written_[index(block, page)] = 1;
    if (known != kNot) continue;
    take(block, page, spare);
    if (found.log) co_return;
    if (is_dead(found)) co_return bury(block);
  }
  // An interrupted erase leaves no readable page.
  found.torn_erase = found.pages != 0 && found.sequence == 0;
}

// Takes a page that is not erased.
void BlockScan::take(BlockNumber block, std::uint32_t page, const SpareRead& spare) {
  const OnfiCommand& command = spare.command;
  Block& found = found_[block];
  if (command.status != FlashStatus::Good) return;
  if (page == 0 && layout_.is_metadata(spare.words[0])) {
    found.log = true;
    return;
  }
  found.sequence = command.sequence;
  newest_sequence_ = std::max(newest_sequence_, command.sequence);
  const std::size_t units = spare.words.size();
  std::copy_n(spare.words.begin(), units, words_.begin() + static_cast<std::ptrdiff_t>(index(block, page) * units));
}

Task<void> BlockScan::look() {
  known_.resize(written_.size());
  co_await on_all_dies([this](BlockNumber block) { return look_at(block); });
  co_await on_all_dies([this](BlockNumber block) { return read_if_log(block); });
}

Task<void> BlockScan::look_at(BlockNumber block) {
  SpareRead spare = spare_read();
  co_await read_page(spare.command, block, 0);
  const bool erased = spare.command.status == FlashStatus::Erased;
  known_[index(block, 0)] = erased ? kErased : kWritten;
  if (erased) co_return;
  found_[block].pages = 1;
  written_[index(block, 0)] = 1;
  take(block, 0, spare);
}

Task<void> BlockScan::cover(std::uint64_t sequence, const std::vector<BlockImage::Entry>& entries) {
  covered_to_ = fault(Fault::StaleCheckpoint) ? ~std::uint64_t{0} : sequence;
  newest_sequence_ = std::max(newest_sequence_, sequence);
  std::vector<const BlockImage::Entry*> entry_of(found_.size());
  for (const BlockImage::Entry& entry : entries) entry_of[entry.block] = &entry;
  co_await on_all_dies([this, &entry_of](BlockNumber block) {
    return entry_of[block] != nullptr ? cover_one(*entry_of[block]) : Task<void>::over();
  });
}

Task<void> BlockScan::cover_one(const BlockImage::Entry& entry) {
  const BlockNumber block = entry.block;
  Block& found = found_[block];
  if (found.log) co_return;
  // The first page is torn or was skipped. If none of the pages known to the checkpoint is readable, the block holds
  // only later data.
  SpareRead spare = spare_read();
  bool torn = known_[index(block, 0)] == kWritten || !entry.programmed(0);
  for (std::uint32_t page = 1; found.sequence == 0 && torn && page < context_.geometry.pages; ++page) {
    if (!entry.programmed(page)) continue;
    co_await read_page(spare.command, block, page);
    if (spare.command.status == FlashStatus::Good) found.sequence = spare.command.sequence;
    torn = spare.command.status != FlashStatus::Erased;
  }
  found.covered = found.sequence == 0 && torn;
  if (found.sequence == 0 || found.sequence > covered_to_) co_return;
  found.covered = true;
  const std::uint32_t units = context_.geometry.units_per_page;
  for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
    if (!entry.programmed(page)) continue;
    known_[index(block, page)] = kWritten;
    written_[index(block, page)] = 1;
    found.pages = page + 1;
    for (std::uint32_t at = page * units; at < (page + 1) * units; ++at) {
      const std::uint32_t unit = entry.unit(at);
      words_[index(block, 0) * units + at] = unit != BlockImage::Entry::kNoUnit ? layout_.encode(unit, 0) : 0;
    }
  }
}

void BlockScan::take_record(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words) {
  newest_sequence_ = std::max(newest_sequence_, sequence);
  const NandGeometry& geometry = context_.geometry;
  Block& found = found_[block];
  const bool follows =
      !geometry.in_order_program || first_page == 0 || known_[index(block, first_page - 1)] == kWritten;
  if (found.log || found.sequence != sequence || is_dead(found) || !follows) return;
  for (std::uint32_t page = first_page; page < first_page + geometry.program_pages; ++page) {
    known_[index(block, page)] = kWritten;
    written_[index(block, page)] = 1;
    found.pages = std::max(found.pages, page + 1);
  }
  const std::size_t first = index(block, first_page) * geometry.units_per_page;
  for (std::uint32_t unit = 0; unit < geometry.units_per_program(); ++unit)
    words_[first + unit] = words != nullptr ? words[unit] : 0;
}

Task<void> BlockScan::run_rest() {
  co_await on_all_dies([this](BlockNumber block) {
    if (is_dead(found_[block])) bury(block);
    const Block& found = found_[block];
    return found.log || is_dead(found) ? Task<void>::over() : scan(block);
  });
}

bool BlockScan::is_dead(const Block& found) const {
  return !found.log && !found.covered && found.sequence != 0 && found.sequence <= covered_to_;
}

void BlockScan::bury(BlockNumber block) {
  const std::size_t units = context_.geometry.units_per_block();
  std::fill_n(words_.begin() + static_cast<std::ptrdiff_t>(block * units), units, OobWord{0});
}

Task<void> BlockScan::read_versions(const std::vector<PhysicalUnit>& places) {
  if (places.empty()) co_return;
  std::vector<std::uint8_t> wanted(found_.size());
  for (const PhysicalUnit place : places) {
    const std::uint32_t page = place / context_.geometry.units_per_page;  // page number in the device
    known_[page] = kVersionWanted;
    wanted[page / context_.geometry.pages] = 1;
  }
  co_await on_all_dies(
      [this, &wanted](BlockNumber block) { return wanted[block] != 0 ? read_versions_of(block) : Task<void>::over(); });
}

Task<void> BlockScan::read_versions_of(BlockNumber block) {
  SpareRead spare = spare_read();
  for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
    if (known_[index(block, page)] != kVersionWanted) continue;
    co_await read_page(spare.command, block, page);
    const std::size_t first = index(block, page) * spare.words.size();
    for (std::size_t unit = 0; unit < spare.words.size(); ++unit)
      if (layout_.is_data(words_[first + unit])) words_[first + unit] = spare.words[unit];
  }
}

void BlockScan::restore(BlockTable& blocks, BlockNumber block, std::uint32_t pages, std::uint32_t valid) const {
  const NandGeometry& geometry = context_.geometry;
  blocks.restore_in_use(block, pages, valid);
  if (pages == geometry.pages) return;
  if (!geometry.in_order_program) blocks.programs().write_in_any_order(block);
  PendingPages& pending = *blocks[block].pending;
  pending.sequence = found_[block].sequence;
  for (std::uint32_t page = 0; page < geometry.pages; ++page) {
    if (!written(block, page)) continue;
    if (!geometry.in_order_program) pending.done[page] = 1;
    for (std::uint32_t unit = page * geometry.units_per_page; unit < (page + 1) * geometry.units_per_page; ++unit) {
      OobWord w = word(block, unit);
      // Copies of the unit take their version from this word, so restore it from flash.
      if (layout_.is_data(w) && layout_.version(w) == 0) w = context_.media.oob(blocks.address(block, 0), unit);
      pending.oob[unit] = w != 0 ? w : layout_.padding();  // torn: no data will be written there
    }
  }
}

}  // namespace flashloom
