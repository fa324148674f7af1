#include "controllers/ftl/map_keeper.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"
#include "controllers/ssd/device_config.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::size_t kTrimWords = 3;

/// Erase units that a snapshot fills at most.
std::uint64_t snapshot_blocks(const NandGeometry& geometry, std::uint64_t logical_units, const RecoveryMethod& method) {
  const std::uint64_t places = method.checkpoints() ? (logical_units + 1) / 2 : (logical_units + 63) / 64;
  const std::uint64_t words = 3 + std::uint64_t{geometry.dies} * geometry.blocks + places;
  const std::uint64_t room =
      std::uint64_t{geometry.program_pages} * geometry.page_bytes / 8 - LogEntry::kSnapshotHeader;
  const std::uint64_t entries_per_block = geometry.pages / geometry.program_pages;
  return ((words + room - 1) / room + entries_per_block - 1) / entries_per_block;
}

}  // namespace

MapKeeper::MapKeeper(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, const UnitMap& map,
                     KeptMap& ftl)
    : context_(context),
      blocks_(blocks),
      map_(map),
      ftl_(ftl),
      method_(Family<RecoveryMethod>::make(context.config.recovery, {})),
      paces_(method_->checkpoints()),
      log_(context, blocks, layout, ftl),
      interval_(!method_->checkpoints() ? kNoLimit
                : method_->interval() == 0
                    ? std::max<std::uint64_t>(context.logical_units / 8, 1)
                    : std::max<std::uint64_t>(method_->interval() / context.geometry.unit_bytes, 1)),
      journal_every_(kNoLimit) {
  if (!method_->journals()) return;
  const std::uint64_t units = context.geometry.units_per_program();
  const std::uint64_t records = (log_.capacity() - LogEntry::kHeader) / (units + 3);
  journal_every_ = std::max<std::uint64_t>(records, 1) * units;
}

std::uint64_t MapKeeper::most_blocks(const NandGeometry& geometry, std::uint64_t logical_units,
                                     const RecoveryMethod& method) {
  return 3 * snapshot_blocks(geometry, logical_units, method) + 1;
}

Task<void> MapKeeper::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  if (!log_.has_room() && log_.blocks() >= most_blocks_) co_await checkpoint();
  co_await log_.make_room();
  trims_.insert(trims_.end(), {LogEntry::kTrim, (std::uint64_t{first} << 32) | count, version});
  ++statistics_.tombstones;
  if (trims_.size() + kTrimWords + LogEntry::kHeader > log_.capacity()) co_await persist_trims();
}

Task<void> MapKeeper::persist_trims() {
  while (writing_) co_await written_.wait();
  if (!trims_.empty()) co_await write_records();
}

Task<void> MapKeeper::journal() {
  since_journal_ = 0;
  if (!log_.has_room() && log_.blocks() >= most_blocks_) {
    co_await checkpoint();
    co_return;
  }
  co_await log_.make_room();
  while (writing_) co_await written_.wait();
  if (!trims_.empty() || !journal_.empty()) co_await write_records();
}

// All trims, and so much of the journal as there is room for. The caller has seen to room.
Task<void> MapKeeper::write_records() {
  writing_ = true;
  const std::size_t program = 3 + context_.geometry.units_per_program();
  std::vector<std::uint64_t> content = {LogEntry::kRecords, epoch_};
  content.insert(content.end(), trims_.begin(), trims_.end());
  trims_.clear();
  const std::size_t programs = std::min((log_.capacity() - content.size()) / program, journal_.size() / program);
  const auto end = journal_.begin() + static_cast<std::ptrdiff_t>(programs * program);
  content.insert(content.end(), journal_.begin(), end);
  journal_.erase(journal_.begin(), end);
  ++statistics_.entries;
  co_await log_.append(content, true);
  writing_ = false;
  written_.wake_all();
}

void MapKeeper::programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                           std::uint32_t units) {
  journal_.insert(journal_.end(), {LogEntry::kProgram, (std::uint64_t{block} << 32) | first_page, sequence});
  journal_.insert(journal_.end(), words, words + units);
}

std::vector<std::uint64_t> MapKeeper::snapshot() const {
  std::vector<std::uint64_t> words = {ftl_.newest_version(), ftl_.sequence(), 0};
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].state == BlockState::Open) {
      words.push_back((std::uint64_t{block} << 32) | blocks_[block].durable);
      ++words[2];
    }
  if (method_->checkpoints()) {
    for (std::uint32_t unit = 0; unit < map_.size(); unit += 2) {
      const std::uint64_t next = unit + 1 < map_.size() ? map_.get(unit + 1) + 1 : 0;
      words.push_back((next << 32) | static_cast<std::uint32_t>(map_.get(unit) + 1));
    }
  } else {
    for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
      if (unit % 64 == 0) words.push_back(0);
      if (map_.get(unit) == kNoPhysicalUnit) words.back() |= std::uint64_t{1} << (unit % 64);
    }
  }
  return words;
}

Task<void> MapKeeper::checkpoint() {
  since_checkpoint_ = since_journal_ = 0;
  co_await persist_trims();
  const std::size_t room = log_.capacity() - LogEntry::kSnapshotHeader;
  const auto blocks = static_cast<std::uint32_t>(snapshot_blocks(context_.geometry, map_.size(), *method_));
  co_await log_.reserve(blocks);
  co_await ftl_.come_to_rest();
  while (writing_) co_await written_.wait();
  writing_ = true;
  const std::vector<std::uint64_t> words = snapshot();
  journal_.clear();
  epoch_ = ++newest_epoch_;
  log_.switch_over();
  const std::size_t parts = (words.size() + room - 1) / room;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(part * room);
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min((part + 1) * room, words.size()));
    std::vector<std::uint64_t> content = {LogEntry::kSnapshot, epoch_, part, parts};
    content.insert(content.end(), first, end);
    ++statistics_.entries;
    co_await log_.append(content, part + 1 == parts);
  }
  log_.forget_old();
  ++statistics_.checkpoints;
  most_blocks_ = 2 * blocks + 1;
  writing_ = false;
  written_.wake_all();
}

void MapKeeper::state(StateArchive& archive) {
  log_.state(archive);
  archive(since_checkpoint_, since_journal_, epoch_, newest_epoch_, most_blocks_, trims_, journal_,
          statistics_.checkpoints, statistics_.entries, statistics_.tombstones);
}

}  // namespace flashloom
