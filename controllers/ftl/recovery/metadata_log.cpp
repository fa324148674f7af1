#include "controllers/ftl/recovery/metadata_log.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

MetadataLog::MetadataLog(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, LogSpace& space)
    : context_(context),
      blocks_(blocks),
      layout_(layout),
      space_(space),
      word_lines_(context.geometry),
      pages_(context.geometry.pages),
      program_pages_(context.geometry.program_pages),
      units_(context.geometry.units_per_program()),
      capacity_(context.geometry.program_pages * context.geometry.page_bytes / sizeof(std::uint64_t)),
      words_(units_) {}

std::uint32_t MetadataLog::blocks_on(std::uint32_t die) const {
  std::uint32_t count = 0;
  for (const std::vector<BlockNumber>* const list : {&blocks_used_, &reserved_, &old_})
    for (const BlockNumber block : *list) count += blocks_.die_of(block) == die ? 1 : 0;
  return count;
}

Task<bool> MetadataLog::make_room() {
  while (!has_room()) {
    if (reserved_.empty()) {
      const BlockNumber block = co_await space_.take_block();
      if (block == kNoBlockNumber) co_return false;
      take(block);
    }
    begin_block();
  }
  co_return true;
}

Task<void> MetadataLog::reserve(std::uint32_t n) {
  while (!has_reserved(n) && !blocks_.spare().worn_down()) {
    const BlockNumber block = co_await space_.take_block();
    if (block == kNoBlockNumber) co_return;
    take(block);
  }
}

// Determines now how much can be written there, because reserve() counts on it.
void MetadataLog::take(BlockNumber block) {
  reserved_.push_back(block);
  ends_.push_back(blocks_.spare().writable_pages(block));
}

bool MetadataLog::has_reserved(std::uint32_t n) const {
  std::uint64_t pages = 0;
  for (const std::uint32_t end : ends_) pages += end;
  return pages >= std::uint64_t{n} * pages_;
}

void MetadataLog::switch_over() {
  old_.insert(old_.end(), blocks_used_.begin(), blocks_used_.end());
  // The first reserved erase unit becomes the one being written; the others stay reserved.
  blocks_used_.clear();
  begin_block();
}

void MetadataLog::begin_block() {
  if (!blocks_used_.empty() && written_ >= end() && written_ < pages_) {
    failures_.push_back({blocks_used_.back(), written_});
    blocks_.set_failed(blocks_used_.back(), written_);
  }
  blocks_used_.push_back(reserved_.front());
  reserved_.erase(reserved_.begin());
  written_ = 0;
  end_ = ends_.front();
  ends_.erase(ends_.begin());
}

void MetadataLog::forget_old() {
  for (const BlockNumber block : old_) space_.return_block(block);
  old_.clear();
}

Task<void> MetadataLog::append(std::vector<std::uint64_t>& content, bool safe, std::size_t beside) {
  while (written_ == end_ && !reserved_.empty()) begin_block();
  if (content.size() > capacity_ + beside)
    throw std::logic_error("an entry of the metadata log does not fit its program unit");
  // Room once made remains valid even if its die has failed since: the entry was decided upon before.
  if (blocks_used_.empty() || written_ >= end_) throw std::logic_error("no room was made in the metadata log");
  const OobWord word = layout_.metadata(++number_);
  context_.media.keep_content(word, std::move(content));
  std::fill(words_.begin(), words_.end(), word);
  // Assign the pages now: others may ask for room and take a block while this entry is in flight.
  const BlockNumber block = blocks_used_.back();
  const std::uint32_t first = written_;
  const std::uint32_t data_end = first + program_pages_;
  written_ = data_end;
  while (safe && word_lines_.safe(written_) < data_end && written_ < end_) written_ += program_pages_;
  const std::uint32_t end = written_;
  // Nothing follows a failed program, so it makes the data before it safe, too.
  const bool ends = safe && word_lines_.safe(written_) < data_end;
  if (ends) {
    blocks_.set_failed(block, end);
    written_ = end_ = pages_;
  }
  const std::vector<Place> failures = std::exchange(failures_, {});
  for (const Place& place : failures) co_await program(place.block, place.page, false, true);
  co_await program(block, first, false);
  std::fill(words_.begin(), words_.end(), layout_.padding());
  for (std::uint32_t page = data_end; page < end; page += program_pages_) co_await program(block, page, true);
  if (ends) co_await program(block, end, true, true);
}

Task<void> MetadataLog::program(BlockNumber block, std::uint32_t page, bool padding, bool fails) {
  Hardware& hardware = context_.hardware;
  OnfiCommand command;
  command.operation = FlashOperation::Program;
  command.origin = padding ? Origin::Padding : Origin::Map;
  command.address = blocks_.address(block, page);
  command.units = static_cast<std::uint16_t>(units_);
  command.bytes = context_.geometry.program_bytes(command.address.page, blocks_.in_slc_mode(block));
  const std::uint32_t whole = context_.geometry.whole_units_per_program();
  command.payload_units = padding || fails ? 0 : whole;
  command.unused_units = units_ - whole;
  command.sequence = number_;
  command.oob = words_.data();
  if (context_.verify) {
    tokens_.assign(std::size_t{units_} * context_.sectors_per_unit, 0);
    command.tokens = tokens_.data();
  }
  const Picoseconds fetched = co_await hardware.dram_read(command.bytes, 0, hardware.staging_address(command.bytes));
  co_await hardware.cpu(FirmwareStep::FlashIssue, 1, fetched);
  co_await hardware.flash().place(command);
  co_await FlashBatch(hardware.flash(), command);
  if ((command.status == FlashStatus::Failed) != fails)
    throw std::logic_error("a program of the metadata log ended in another way than was decided upon");
}

void MetadataLog::adopt(BlockNumber block) {
  blocks_used_.push_back(block);
  written_ = end_ = pages_;
}

void MetadataLog::state(StateArchive& archive) {
  if (!old_.empty()) throw std::logic_error("a checkpoint is under way");
  archive(blocks_used_, reserved_, written_, number_);
  archive(ends_, end_, failures_);
}

}  // namespace flashloom
