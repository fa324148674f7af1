#include "controllers/ftl/recovery/map_keeper.hpp"

#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::uint64_t kJournalPages = 4;  // least number between checkpoints by default
/// Words of a snapshot common to all kinds.
constexpr std::uint64_t kSnapshotWords = LogEntry::kTombstones;

std::uint64_t entry_words(const NandGeometry& geometry) {
  return std::uint64_t{geometry.program_pages} * geometry.page_bytes / 8;
}

/// Entries, and erase units, that a snapshot of `words` words takes.
std::uint64_t entries_of(const NandGeometry& geometry, std::uint64_t words) {
  const std::uint64_t room = entry_words(geometry) - LogEntry::kSnapshotHeader;
  return (words + room - 1) / room;
}
std::uint64_t blocks_of(const NandGeometry& geometry, std::uint64_t words) {
  const std::uint64_t entries_per_block = geometry.pages / geometry.program_pages;
  return (entries_of(geometry, words) + entries_per_block - 1) / entries_per_block;
}

/// Words for 32-bit values, two a word.
std::uint64_t in_pairs(std::uint64_t values) { return (values + 1) / 2; }

std::uint64_t most_words(const NandGeometry& geometry, std::uint64_t logical_units, const RecoveryMethod& method) {
  std::uint64_t places = method.checkpoints ? in_pairs(logical_units) : (logical_units + 63) / 64;
  if (method.checkpoints && geometry.sizes_vary()) places *= 2;  // offset of each unit in its page
  return kSnapshotWords + std::uint64_t{geometry.dies} * geometry.blocks + places;
}

/// Words of a snapshot of a PagedMap with `changed` changed entries.
std::uint64_t directory_words(const NandGeometry& geometry, std::uint64_t host_units, std::uint64_t map_pages,
                              std::uint64_t changed) {
  const std::uint64_t blocks = std::uint64_t{geometry.dies} * geometry.blocks;
  return kSnapshotWords + blocks + 1 + in_pairs(map_pages) + in_pairs(blocks) + std::min(changed, in_pairs(host_units));
}

std::uint64_t most_words(const NandGeometry& geometry, std::uint64_t logical_units, const RecoveryMethod& method,
                         std::uint64_t map_pages) {
  return method.checkpoints && map_pages != 0 ? directory_words(geometry, logical_units, map_pages, logical_units)
                                              : most_words(geometry, logical_units, method);
}

/// Appends value(0) to value(n - 1), two a word.
template <class Value>
void append_pairs(std::vector<std::uint64_t>& words, std::uint32_t n, Value value) {
  for (std::uint32_t i = 0; i < n; i += 2) {
    const std::uint64_t next = i + 1 < n ? value(i + 1) : 0;
    words.push_back((next << 32) | static_cast<std::uint32_t>(value(i)));
  }
}

/// Erase units of a snapshot and of the log before it, which has at most twice its size and one more.
std::uint64_t with_log(std::uint64_t snapshot) { return 3 * snapshot + 1; }

}  // namespace

MapKeeper::MapKeeper(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, const UnitMap& map,
                     KeptMap& ftl, Tombstones* tombstones)
    : context_(context),
      blocks_(blocks),
      map_(map),
      ftl_(ftl),
      tombstones_(tombstones),
      layout_(layout),
      method_(recovery_of(context.config)),
      log_(context, blocks, layout, ftl),
      pace_(pace_of(context.geometry, context.logical_units, method_)) {}

MapKeeper::Pace MapKeeper::pace_of(const NandGeometry& geometry, std::uint64_t logical_units,
                                   const RecoveryMethod& method) {
  Pace pace{.checkpoint = kNoLimit, .journal = kNoLimit};
  if (!method.checkpoints) return pace;
  pace.checkpoint =
      std::max<std::uint64_t>(method.interval == 0 ? logical_units / 8 : method.interval / geometry.unit_bytes, 1);
  if (!method.journals) return pace;
  const std::uint64_t units = geometry.units_per_program();
  const std::uint64_t capacity = entry_words(geometry) - LogEntry::kHeader;
  pace.journal = std::max<std::uint64_t>(capacity / (units + 3), 1) * geometry.whole_units_per_program();
  // On a small device an eighth would be less than a journal page covers.
  if (method.interval == 0) pace.checkpoint = std::max(pace.checkpoint, kJournalPages * pace.journal);
  return pace;
}

std::uint64_t MapKeeper::most_checkpoints(const NandGeometry& geometry, std::uint64_t logical_units,
                                          const RecoveryMethod& method, std::uint64_t units) {
  if (!method.checkpoints) return 0;
  const std::uint64_t every = pace_of(geometry, logical_units, method).checkpoint;
  return 1 + (units + every - 1) / every;
}

std::uint64_t MapKeeper::most_programs(const NandGeometry& geometry, std::uint64_t logical_units,
                                       const RecoveryMethod& method, std::uint64_t map_pages, std::uint64_t units) {
  if (!method.checkpoints) return 0;
  const std::uint64_t every = pace_of(geometry, logical_units, method).journal;
  return most_checkpoints(geometry, logical_units, method, units) *
             entries_of(geometry, most_words(geometry, logical_units, method, map_pages)) +
         (method.journals ? 1 + units / every : 0);
}

std::uint64_t MapKeeper::most_blocks(const NandGeometry& geometry, std::uint64_t logical_units,
                                     const RecoveryMethod& method, std::uint64_t map_pages) {
  return with_log(blocks_of(geometry, most_words(geometry, logical_units, method, map_pages)));
}

std::uint64_t MapKeeper::most_blocks(const NandGeometry& geometry, std::uint64_t logical_units) {
  return with_log(blocks_of(geometry, kSnapshotWords + logical_units));
}

std::uint64_t MapKeeper::most_blocks_of_image(const NandGeometry& geometry, std::uint64_t words) {
  return with_log(blocks_of(geometry, kSnapshotWords + words));
}

std::uint32_t MapKeeper::snapshot_blocks() const {
  const PagedMap* const paged = method_.checkpoints ? ftl_.paged() : nullptr;
  const std::uint64_t image = method_.checkpoints ? ftl_.image_words() : 0;
  const std::uint64_t words = tombstones_ != nullptr ? kSnapshotWords + tombstones_->count()
                              : image != 0           ? kSnapshotWords + image
                              : paged != nullptr
                                  ? directory_words(context_.geometry, paged->host_units,
                                                    map_.size() - paged->host_units, paged->changed.count())
                                  : most_words(context_.geometry, map_.size(), method_);
  return static_cast<std::uint32_t>(blocks_of(context_.geometry, words));
}

Task<bool> MapKeeper::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  if (!log_.has_room() && log_.blocks() >= most_blocks_ && !blocks_.spare().worn_down()) co_await checkpoint();
  const bool room = co_await log_.make_room();
  if (!room) co_return false;
  trims_.insert(trims_.end(), {LogEntry::kTrim, (std::uint64_t{first} << 32) | count, version});
  ++statistics_.tombstones;
  // An unmapped unit is not on flash, or already has a tombstone.
  for (std::uint32_t unit = first; tombstones_ != nullptr && unit < first + count; ++unit)
    if (map_.get(unit) != kNoPhysicalUnit) tombstones_->bury(unit, version);
  if (trims_.size() + LogEntry::kTrimWords + LogEntry::kHeader > log_.capacity()) co_await persist_trims();
  co_return true;
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
  if (blocks_.spare().worn_down() && !log_.has_room()) co_return;  // a mount reads the spare areas instead
  do {  // background work may write trims meanwhile, and use the room
    while (writing_) co_await written_.wait();
    const bool room = co_await log_.make_room();
    if (!room) co_return;
  } while (writing_);
  // Written even if no program has ended since: the number of pages must not depend on timing.
  co_await write_records();
}

// Writes all trims, and as much of the journal as fits. The log must have room.
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

std::vector<std::uint64_t> MapKeeper::snapshot(std::size_t& beside) {
  std::vector<std::uint64_t> words = {ftl_.newest_version(), ftl_.sequence(), 0};
  if (tombstones_ != nullptr) {
    add_tombstones(words);
    return words;
  }
  if (method_.checkpoints && ftl_.image_words() != 0) {
    ftl_.add_image(words);
    return words;
  }
  // An open block that is not erased yet holds only old data: a mount must ignore it, as it ignores free blocks.
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].state == BlockState::Open && blocks_[block].erased) {
      words.push_back((std::uint64_t{block} << 32) | blocks_[block].durable);
      ++words[2];
    }
  const PagedMap* const paged = ftl_.paged();
  if (method_.checkpoints && paged != nullptr) {
    add_paged(words, *paged, beside);
  } else if (method_.checkpoints) {
    append_pairs(words, map_.size(), [this](std::uint32_t unit) { return map_.get(unit) + 1; });
    // Reserves words for the offset of each unit in its page; the model finds the offsets in the spare areas.
    if (context_.geometry.sizes_vary()) words.resize(words.size() + in_pairs(map_.size()));
  } else {
    for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
      if (unit % 64 == 0) words.push_back(0);
      if (map_.get(unit) == kNoPhysicalUnit) words.back() |= std::uint64_t{1} << (unit % 64);
    }
  }
  return words;
}

void MapKeeper::add_tombstones(std::vector<std::uint64_t>& words) {
  for (std::uint32_t unit = 0; unit < map_.size() && tombstones_->count() != 0; ++unit) {
    if (tombstones_->version(unit) == 0) continue;
    // A tombstone is obsolete if newer data of the unit are on flash and safe there.
    const PhysicalUnit place = map_.get(unit);
    if (place != kNoPhysicalUnit && blocks_[blocks_.block_of(place)].pending == nullptr)
      tombstones_->forget(unit);
    else
      words.push_back(layout_.encode(unit, tombstones_->version(unit)));
  }
}

void MapKeeper::add_paged(std::vector<std::uint64_t>& words, const PagedMap& paged, std::size_t& beside) const {
  const std::uint32_t host = paged.host_units;
  const std::uint64_t changed = paged.changed.count();
  words.push_back(changed);
  append_pairs(words, map_.size() - host, [&](std::uint32_t page) { return map_.get(host + page) + 1; });
  append_pairs(words, blocks_.size(), [this](BlockNumber block) { return blocks_[block].valid; });
  for (std::uint32_t unit = 0; unit < host; ++unit)
    if (paged.changed.has(unit)) words.push_back((std::uint64_t{unit} << 32) | (map_.get(unit) + 1));
  append_pairs(words, host, [&](std::uint32_t unit) { return paged.changed.has(unit) ? 0 : map_.get(unit) + 1; });
  beside = in_pairs(host) + changed - std::min(changed, in_pairs(host));
}

Task<void> MapKeeper::checkpoint() {
  since_checkpoint_ = since_journal_ = 0;
  if (blocks_.spare().worn_down()) co_return;
  co_await persist_trims();
  const std::size_t room = log_.capacity() - LogEntry::kSnapshotHeader;
  std::uint32_t blocks = 0;
  do {  // coming to rest may change more entries
    blocks = snapshot_blocks();
    co_await log_.reserve(blocks);
    if (!log_.has_reserved(blocks)) co_return;  // worn down: no more checkpoints
    if (tombstones_ == nullptr) co_await ftl_.come_to_rest();
    while (writing_) co_await written_.wait();
  } while (tombstones_ == nullptr && snapshot_blocks() > blocks);
  writing_ = true;
  std::size_t beside = 0;
  const std::vector<std::uint64_t> words = snapshot(beside);
  journal_.clear();
  epoch_ = ++newest_epoch_;
  log_.switch_over();
  const std::size_t in_log = words.size() - beside;
  const std::size_t parts = (in_log + room - 1) / room;
  for (std::size_t part = 0; part < parts; ++part) {
    const bool last = part + 1 == parts;
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(part * room);
    const auto end = last ? words.end() : words.begin() + static_cast<std::ptrdiff_t>((part + 1) * room);
    std::vector<std::uint64_t> content = {LogEntry::kSnapshot, epoch_, part, parts};
    content.insert(content.end(), first, end);
    ++statistics_.entries;
    co_await log_.append(content, last, last ? beside : 0);
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
