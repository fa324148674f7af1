#include "controllers/ftl/mount.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

Mount::Mount(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map, MapKeeper& keeper)
    : SpareScan(context, blocks),
      blocks_(blocks),
      layout_(layout),
      map_(map),
      keeper_(keeper),
      checkpoints_(keeper.method().checkpoints()),
      versions_(map.size()),
      found_(blocks.size()),
      valid_(blocks.size()) {}

Task<Mount::Result> Mount::run() {
  co_await on_all_dies([this](BlockNumber block) { return look(block); });
  co_await on_all_dies([this](BlockNumber block) { return read_log(block); });
  use_log();
  if (checkpoints_) co_await on_all_dies([this](BlockNumber block) { return scan(block); });
  for (std::uint32_t unit = 0; unit < buried_.size(); ++unit)
    if (buried_[unit] != 0 && buried_[unit] >= versions_[unit]) map_.clear(unit);

  for (std::uint32_t unit = 0; unit < map_.size(); ++unit)
    if (const PhysicalUnit place = map_.get(unit); place != kNoPhysicalUnit) ++valid_[blocks_.block_of(place)];
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die) co_await free_a_block(die);
  close_blocks();
  co_return std::move(result_);
}

// The first page, and without checkpoints the others.
Task<void> Mount::look(BlockNumber block) {
  SpareRead spare = spare_read();
  Found& found = found_[block];
  OnfiCommand& command = spare.command;
  co_await read_page(command, block, 0);
  if (command.status == FlashStatus::Erased) co_return;
  if (command.status == FlashStatus::Torn) {
    // Torn in its erase, or in the first program: there was no second one, or none that the host was told of.
    found.kind = Kind::Unreadable;
    co_return;
  }
  found.sequence = command.sequence;
  found.kind = layout_.is_metadata(command.oob[0]) ? Kind::Log : Kind::Data;
  if (found.kind == Kind::Log) co_return;
  result_.newest_sequence = std::max(result_.newest_sequence, found.sequence);
  if (checkpoints_) co_return;
  take_page(block, 0, command);
  found.covered = 1;
  co_await scan(block);
}

// Pages behind those that are known.
Task<void> Mount::scan(BlockNumber block) {
  Found& found = found_[block];
  if (found.kind != Kind::Data) co_return;
  SpareRead spare = spare_read();
  for (std::uint32_t page = found.covered; page < context_.geometry.pages; ++page) {
    co_await read_page(spare.command, block, page);
    if (spare.command.status == FlashStatus::Erased) break;
    if (spare.command.status != FlashStatus::Torn) take_page(block, page, spare.command);
  }
}

void Mount::take_page(BlockNumber block, std::uint32_t page, const OnfiCommand& command) {
  const PhysicalUnit first = block * blocks_.units_per_block() + page * context_.geometry.units_per_page;
  for (std::uint32_t unit = 0; unit < context_.geometry.units_per_page; ++unit)
    if (layout_.is_data(command.oob[unit])) take(first + unit, command.oob[unit]);
}

void Mount::take(PhysicalUnit place, OobWord word) {
  const std::uint32_t unit = layout_.unit(word);
  const std::uint64_t version = layout_.version(word);
  result_.newest_version = std::max(result_.newest_version, version);
  const PhysicalUnit other = map_.get(unit);
  if (other == place) {
    versions_[unit] = version;
    return;
  }
  if (other != kNoPhysicalUnit) {
    if (fault(Fault::OlderVersion) ? version > versions_[unit] : version < versions_[unit]) return;
    const bool later = version > versions_[unit] ||
                       found_[blocks_.block_of(place)].sequence >= found_[blocks_.block_of(other)].sequence;
    if (version == versions_[unit] || versions_[unit] == 0)
      losers_.push_back({unit, later ? other : place, versions_[unit]});
    if (!later) return;
  }
  versions_[unit] = version;
  map_.set(unit, place);
}

// Entries of the log on one block; programs of several pages count if all of them can be read.
Task<void> Mount::read_log(BlockNumber block) {
  Found& found = found_[block];
  if (found.kind != Kind::Log) co_return;
  SpareRead spare = spare_read();
  spare.command.bytes = context_.geometry.page_bytes;
  const std::uint32_t together = context_.geometry.program_pages;
  OobWord word = 0;
  std::uint32_t whole = 0;
  for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
    co_await read_page(spare.command, block, page);
    if (spare.command.status == FlashStatus::Erased) break;
    ++report_.log_pages;
    if (page % together == 0) whole = 0;
    if (spare.command.status == FlashStatus::Torn || !layout_.is_metadata(spare.words[0])) continue;
    if (whole != 0 && spare.words[0] != word) whole = 0;
    word = spare.words[0];
    found.number = std::max(found.number, layout_.version(word));
    if (++whole == together) entries_.push_back({layout_.version(word), block, &context_.media.content(word)});
  }
}

// The newest epoch whose snapshot is whole.
std::uint64_t Mount::newest_epoch() const {
  std::uint64_t epoch = 0;
  std::uint64_t parts = 0;  // seen of the snapshot that is being looked at
  for (const Entry& entry : entries_) {
    const std::vector<std::uint64_t>& words = *entry.words;
    if (words[0] != LogEntry::kSnapshot) continue;
    parts = words[2] == 0 ? 1 : words[2] == parts ? parts + 1 : 0;
    if (parts == words[3]) epoch = words[1];
  }
  return epoch;
}

void Mount::use_log() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  const std::uint64_t epoch = newest_epoch();
  std::uint64_t newest = 0;
  for (const Entry& entry : entries_) newest = std::max(newest, (*entry.words)[1]);
  keeper_.continue_epoch(epoch, newest);
  std::vector<std::uint64_t> snapshot;
  for (const Entry& entry : entries_)
    if (const auto& words = *entry.words; words[0] == LogEntry::kSnapshot && words[1] == epoch)
      snapshot.insert(snapshot.end(), words.begin() + LogEntry::kSnapshotHeader, words.end());
  if (!snapshot.empty()) use_snapshot(snapshot);
  report_.from_checkpoint = !snapshot.empty() && checkpoints_;
  bool skip = fault(Fault::LogEntrySkipped);
  for (const Entry& entry : entries_) {
    if ((*entry.words)[1] != epoch) continue;
    found_[entry.block].of_epoch = true;  // else it is obsolete, or was never finished
    if ((*entry.words)[0] == LogEntry::kRecords) use_records(*entry.words, std::exchange(skip, false));
  }
  // What does not count goes on being there until it is erased: its numbers are not given out again.
  std::uint64_t last = 0;
  std::vector<std::pair<std::uint64_t, BlockNumber>> log;
  for (BlockNumber block = 0; block < found_.size(); ++block) {
    last = std::max(last, found_[block].number);
    if (found_[block].of_epoch) log.emplace_back(found_[block].number, block);
  }
  std::sort(log.begin(), log.end());
  for (const auto& [number, block] : log) keeper_.log().adopt(block);
  keeper_.log().continue_after(last);
}

void Mount::use_snapshot(const std::vector<std::uint64_t>& words) {
  const std::uint64_t sequence = words[1];
  result_.newest_version = std::max(result_.newest_version, words[0]);
  result_.newest_sequence = std::max(result_.newest_sequence, sequence);
  // What was opened later has been erased meanwhile: all of it is newer.
  for (Found& found : found_)
    found.covered = found.kind == Kind::Data && (found.sequence <= sequence || fault(Fault::StaleCheckpoint))
                        ? context_.geometry.pages
                        : 0;
  for (std::uint64_t i = 0; i < words[2]; ++i) {
    Found& open = found_[words[3 + i] >> 32];
    open.covered = std::min(open.covered, static_cast<std::uint32_t>(words[3 + i]));
  }
  const std::uint64_t* const payload = words.data() + 3 + words[2];
  if (!checkpoints_) {
    // Unmapped then. A newer version of it may have a number below that of other data, since it waited in the buffer:
    // so what counts is whether it was programmed before.
    for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
      const PhysicalUnit place = map_.get(unit);
      if (((payload[unit / 64] >> (unit % 64)) & 1) == 0 || place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      if (blocks_.page_of(place - block * blocks_.units_per_block()) < found_[block].covered &&
          !fault(Fault::TombstoneIgnored))
        map_.clear(unit);
    }
    return;
  }
  for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
    const auto place = static_cast<PhysicalUnit>(payload[unit / 2] >> (unit % 2 * 32)) - 1;
    if (place == kNoPhysicalUnit) continue;
    if (found_[blocks_.block_of(place)].covered != 0) map_.set(unit, place);
  }
}

void Mount::use_records(const std::vector<std::uint64_t>& words, bool skip) {
  const std::uint32_t units = context_.geometry.units_per_program();
  for (std::size_t at = LogEntry::kHeader; at < words.size();) {
    const auto high = static_cast<std::uint32_t>(words[at + 1] >> 32);
    const auto low = static_cast<std::uint32_t>(words[at + 1]);
    const std::uint64_t number = words[at + 2];
    if (words[at] == LogEntry::kTrim) {
      at += 3;
      result_.newest_version = std::max(result_.newest_version, number);
      for (std::uint32_t unit = high; unit < high + low && !skip; ++unit) bury(unit, number);
      continue;
    }
    Found& found = found_[high];
    if (found.kind == Kind::Data && found.sequence == number && found.covered == low) {
      found.covered += context_.geometry.program_pages;
      const PhysicalUnit first = high * blocks_.units_per_block() + low * context_.geometry.units_per_page;
      for (std::uint32_t unit = 0; unit < units && !skip; ++unit)
        if (const OobWord word = words[at + 3 + unit]; layout_.is_data(word)) take(first + unit, word);
    }
    at += 3 + units;
  }
}

void Mount::bury(std::uint32_t unit, std::uint64_t version) {
  if (fault(Fault::TombstoneIgnored)) return;
  if (buried_.empty()) buried_.resize(map_.size());
  buried_[unit] = std::max(buried_[unit], version);
}

bool Mount::is_free(BlockNumber block) const {
  const Found& found = found_[block];
  return found.kind == Kind::Erased || found.kind == Kind::Unreadable ||
         (found.kind == Kind::Log ? !found.of_epoch : valid_[block] == 0);
}

// On a die without an erase unit free: empties one whose units all have copies of the same version elsewhere.
Task<void> Mount::free_a_block(std::uint32_t die) {
  const BlockNumber first = die * blocks_.blocks_per_die();
  const BlockNumber end = first + blocks_.blocks_per_die();
  for (BlockNumber block = first; block < end; ++block)
    if (is_free(block)) co_return;
  SpareRead spare = spare_read();
  for (Loser& loser : losers_) {
    const BlockNumber block = blocks_.block_of(loser.place);
    if (loser.version != 0 || blocks_.die_of(block) != die) continue;
    const std::uint32_t in_block = loser.place - block * blocks_.units_per_block();
    co_await read_page(spare.command, block, blocks_.page_of(in_block));
    if (spare.command.status == FlashStatus::Good)
      loser.version = layout_.version(spare.words[blocks_.unit_of_page(in_block)]);
  }
  const auto instead = [this](const Loser& loser) {  // of the place that the map has
    return loser.version == versions_[loser.unit] && map_.get(loser.unit) != kNoPhysicalUnit &&
           blocks_.block_of(map_.get(loser.unit)) != blocks_.block_of(loser.place);
  };
  std::stable_sort(losers_.begin(), losers_.end(), [&](const Loser& a, const Loser& b) {
    return std::pair(a.unit, !instead(a)) < std::pair(b.unit, !instead(b));
  });
  std::vector<std::uint32_t> replaceable(found_.size());
  const auto first_of_unit = [this](std::size_t i) { return i == 0 || losers_[i - 1].unit != losers_[i].unit; };
  for (std::size_t i = 0; i < losers_.size(); ++i)
    if (first_of_unit(i) && instead(losers_[i])) ++replaceable[blocks_.block_of(map_.get(losers_[i].unit))];
  for (BlockNumber block = first; block < end; ++block) {
    if (found_[block].kind != Kind::Data || replaceable[block] != valid_[block]) continue;
    for (std::size_t i = 0; i < losers_.size(); ++i) {
      const Loser& loser = losers_[i];
      if (!first_of_unit(i) || !instead(loser) || blocks_.block_of(map_.get(loser.unit)) != block) continue;
      map_.set(loser.unit, loser.place);
      ++valid_[blocks_.block_of(loser.place)];
      --valid_[block];
    }
    co_return;
  }
}

void Mount::close_blocks() {
  for (BlockNumber block = 0; block < found_.size(); ++block) {
    const Found& found = found_[block];
    if (found.kind == Kind::Erased) continue;
    if (is_free(block)) {  // a victim whose erase had not begun, too
      blocks_.restore_unerased(block);
      result_.to_erase.push_back(block);
    } else if (found.kind == Kind::Log) {
      blocks_.restore_dedicated(block);
    } else {
      blocks_.restore_closed(block, valid_[block]);
    }
  }
}

}  // namespace flashloom
