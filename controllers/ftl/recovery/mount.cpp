#include "controllers/ftl/recovery/mount.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

Mount::Mount(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map, MapKeeper& keeper,
             const Redundancy* redundancy)
    : SpareScan(context, blocks),
      blocks_(blocks),
      layout_(layout),
      map_(map),
      redundancy_(redundancy),
      keeper_(keeper),
      checkpoints_(keeper.method().checkpoints),
      paged_(checkpoints_ ? keeper.paged() : nullptr),
      versions_(map.size()),
      found_(blocks.size()) {
  if (paged_ != nullptr) result_.newer.resize(map.size());
}

Task<Mount::Result> Mount::run() {
  co_await on_all_dies([this](BlockNumber block) { return look(block); });
  co_await on_all_dies([this](BlockNumber block) { return read_if_log(block); });
  use_log();
  if (checkpoints_) co_await on_all_dies([this](BlockNumber block) { return scan(block); });
  for (std::uint32_t unit = 0; unit < trimmed_by_.size(); ++unit)
    if (trimmed_by_[unit] != 0 && trimmed_by_[unit] >= versions_[unit]) map_.clear(unit);

  valid_ = valid_of_blocks();
  for (std::uint32_t group = 0; group < blocks_.groups(); ++group) co_await free_one(group);
  if (context_.sizes != nullptr)
    for (std::uint32_t unit = 0; unit < map_.size(); ++unit)
      if (const PhysicalUnit place = map_.get(unit); place != kNoPhysicalUnit) blocks_.restore_size(place);
  close_blocks();
  blocks_.restore_free();
  co_return std::move(result_);
}

// Reads the first page and, without checkpoints, the others.
Task<void> Mount::look(BlockNumber block) {
  SpareRead spare = spare_read();
  Found& found = found_[block];
  OnfiCommand& command = spare.command;
  co_await read_page(command, block, 0);
  if (command.status == FlashStatus::Erased) co_return;
  blocks_[block].slc = context_.media.in_slc_mode(command.address.die, command.address.block);
  if (command.status == FlashStatus::Torn) {
    // The erase or the first program was torn: no later program was acknowledged to the host.
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

Task<void> Mount::read_if_log(BlockNumber block) {
  if (found_[block].kind == Kind::Log) co_await read_log(block, layout_, log_);
}

// Reads the pages after those already known.
Task<void> Mount::scan(BlockNumber block) {
  Found& found = found_[block];
  if (found.kind != Kind::Data) co_return;
  SpareRead spare = spare_read();
  for (std::uint32_t page = found.covered; page < blocks_.pages_of(block); ++page) {
    co_await read_page(spare.command, block, page);
    if (spare.command.status == FlashStatus::Erased) break;
    if (spare.command.status != FlashStatus::Torn) take_page(block, page, spare.command);
  }
}

void Mount::take_page(BlockNumber block, std::uint32_t page, const OnfiCommand& command) {
  const bool counts = redundancy_ == nullptr || redundancy_->acknowledged(block, page);
  const PhysicalUnit first = block * blocks_.units_per_block() + page * context_.geometry.units_per_page;
  for (std::uint32_t unit = 0; unit < context_.geometry.units_per_page; ++unit)
    if (const OobWord word = command.oob[unit]; layout_.is_data(word)) {
      result_.newest_version = std::max(result_.newest_version, layout_.version(word));
      if (counts) take(first + unit, word);
    }
}

void Mount::take(PhysicalUnit place, OobWord word) {
  const std::uint32_t unit = layout_.unit(word);
  const std::uint64_t version = layout_.version(word);
  result_.newest_version = std::max(result_.newest_version, version);
  is_newer(unit);
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

void Mount::use_log() {
  log_.finish(keeper_);
  for (const BlockNumber block : log_.blocks()) found_[block].of_epoch = true;
  if (!log_.snapshot().empty()) use_snapshot(log_.snapshot());
  report_.from_checkpoint = !log_.snapshot().empty() && checkpoints_;
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log_.records()) use_records(entry, std::exchange(skip, false));
}

void Mount::use_snapshot(const std::vector<std::uint64_t>& words) {
  const std::uint64_t sequence = words[1];
  result_.newest_version = std::max(result_.newest_version, words[0]);
  result_.newest_sequence = std::max(result_.newest_sequence, sequence);
  // An erase unit opened later has been erased since: all its data are newer than the snapshot.
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
    // The unit was unmapped at the snapshot. A newer version may have a lower number than other data, since it waited
    // in the buffer; so what counts is whether the data were programmed before the snapshot.
    for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
      const PhysicalUnit place = map_.get(unit);
      if (((payload[unit / 64] >> (unit % 64)) & 1) == 0 || place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      if (blocks_.page_of(blocks_.offset_in_block(place, block)) < found_[block].covered &&
          !fault(Fault::TombstoneIgnored))
        map_.clear(unit);
    }
    return;
  }
  if (paged_ != nullptr) return use_directory(payload);
  use_places(payload, 0, map_.size());
}

// Takes places that are stored two a word; 0: none.
void Mount::use_places(const std::uint64_t* pairs, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t unit = first; unit < end; ++unit) {
    const std::uint32_t at = unit - first;
    const auto place = static_cast<PhysicalUnit>(pairs[at / 2] >> (at % 2 * 32)) - 1;
    if (place == kNoPhysicalUnit) continue;
    if (found_[blocks_.block_of(place)].covered != 0) map_.set(unit, place);
  }
}

// The content of the translation pages follows the directory. Entries changed since the checkpoint are found in spare
// areas; all others are the same in every copy of the page since the checkpoint.
void Mount::use_directory(const std::uint64_t* payload) {
  const std::uint32_t host = paged_->host_units;
  const std::uint32_t pages = map_.size() - host;
  const std::uint64_t changed = payload[0];
  const std::uint64_t* const directory = payload + 1;
  const std::uint64_t* const counts = directory + (pages + 1) / 2;
  const std::uint64_t* const entries = counts + (blocks_.size() + 1) / 2;
  use_places(directory, host, map_.size());
  use_places(entries + changed, 0, host);
  for (std::uint64_t i = fault(Fault::EntryForgotten) ? 1 : 0; i < changed; ++i) {
    const auto unit = static_cast<std::uint32_t>(entries[i] >> 32);
    const std::uint64_t place = entries[i] & 0xFFFFFFFF;
    is_newer(unit);
    use_places(&place, unit, unit + 1);
  }
  // Firmware takes the valid counts from the checkpoint: it could not count them without reading the map.
  const std::vector<std::uint32_t> valid = valid_of_blocks();
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (found_[block].covered != 0 && !fault(Fault::EntryForgotten) && !fault(Fault::StaleCheckpoint) &&
        valid[block] != static_cast<std::uint32_t>(counts[block / 2] >> (block % 2 * 32)))
      throw std::logic_error("a checkpoint counts other valid units of a block than it names");
}

std::vector<std::uint32_t> Mount::valid_of_blocks() const {
  std::vector<std::uint32_t> valid(blocks_.size());
  for (std::uint32_t unit = 0; unit < map_.size(); ++unit)
    if (const PhysicalUnit place = map_.get(unit); place != kNoPhysicalUnit) ++valid[blocks_.block_of(place)];
  return valid;
}

void Mount::use_records(const LogEntry& entry, bool skip) {
  const std::uint32_t units = context_.geometry.units_per_program();
  const auto trim = [&](std::uint32_t first, std::uint32_t count, std::uint64_t version) {
    result_.newest_version = std::max(result_.newest_version, version);
    for (std::uint32_t unit = first; unit < first + count && !skip; ++unit) bury(unit, version);
  };
  const auto program = [&](const std::uint64_t* record) {
    const auto block = static_cast<BlockNumber>(record[1] >> 32);
    const auto page = static_cast<std::uint32_t>(record[1]);
    // The record may be of a block erased since. Its sequence still counts: else a new block could get the same one,
    // and be taken for the old block.
    result_.newest_sequence = std::max(result_.newest_sequence, record[2]);
    Found& found = found_[block];
    if (found.kind != Kind::Data || found.sequence != record[2] || found.covered != page) return;
    found.covered += context_.geometry.program_pages;
    const PhysicalUnit place = block * blocks_.units_per_block() + page * context_.geometry.units_per_page;
    for (std::uint32_t unit = 0; unit < units && !skip; ++unit)
      if (const OobWord word = record[3 + unit]; layout_.is_data(word)) take(place + unit, word);
  };
  entry.each_record(units, trim, program);
}

void Mount::bury(std::uint32_t unit, std::uint64_t version) {
  if (fault(Fault::TombstoneIgnored)) return;
  is_newer(unit);
  if (trimmed_by_.empty()) trimmed_by_.resize(map_.size());
  trimmed_by_[unit] = std::max(trimmed_by_[unit], version);
}

bool Mount::is_free(BlockNumber block) const {
  const Found& found = found_[block];
  return found.kind == Kind::Erased || found.kind == Kind::Unreadable ||
         (found.kind == Kind::Log ? !found.of_epoch : valid_[block] == 0);
}

std::vector<std::uint8_t> Mount::free_gc_units() const {
  std::vector<std::uint8_t> free(blocks_.gc_unit_count(), 1);
  for (BlockNumber block = 0; block < found_.size(); ++block)
    if (!is_free(block)) free[blocks_.gc_unit_of(block)] = 0;
  return free;
}

// If the group has no free GC unit, empties one whose units all have copies of the same version elsewhere.
Task<void> Mount::free_one(std::uint32_t group) {
  const std::vector<std::uint8_t> free = free_gc_units();
  const auto per_group = static_cast<std::uint32_t>(free.size()) / blocks_.groups();
  const std::uint32_t first = group * per_group;
  const std::uint32_t end = first + per_group;
  // Bad erase units and those apart or of the log do not make a GC unit free.
  const auto unusable = [this](GcUnit gc_unit) {
    if (blocks_.pool() != nullptr && !blocks_.pool()->usable(gc_unit)) return true;
    return std::ranges::all_of(blocks_.members_of(gc_unit), [this](BlockNumber member) {
      return blocks_[member].state == BlockState::Bad || blocks_[member].apart || blocks_.free().for_log(member);
    });
  };
  for (GcUnit gc_unit = first; gc_unit < end; ++gc_unit)
    if (free[gc_unit] != 0 && !unusable(gc_unit)) co_return;
  SpareRead spare = spare_read();
  for (Loser& loser : losers_) {
    const BlockNumber block = blocks_.block_of(loser.place);
    if (loser.version != 0 || blocks_.group_of(block) != group) continue;
    const std::uint32_t in_block = blocks_.offset_in_block(loser.place, block);
    co_await read_page(spare.command, block, blocks_.page_of(in_block));
    if (spare.command.status == FlashStatus::Good)
      loser.version = layout_.version(spare.words[blocks_.unit_of_page(in_block)]);
  }
  const auto gc_unit_of = [this](PhysicalUnit place) { return blocks_.gc_unit_of(blocks_.block_of(place)); };
  const auto instead = [&](const Loser& loser) {  // it can replace the place in the map
    return loser.version == versions_[loser.unit] && map_.get(loser.unit) != kNoPhysicalUnit &&
           gc_unit_of(map_.get(loser.unit)) != gc_unit_of(loser.place);
  };
  std::stable_sort(losers_.begin(), losers_.end(), [&](const Loser& a, const Loser& b) {
    return std::pair(a.unit, !instead(a)) < std::pair(b.unit, !instead(b));
  });
  std::vector<std::uint32_t> replaceable(free.size());
  std::vector<std::uint32_t> valid(free.size());
  std::vector<std::uint8_t> of_log(free.size());
  for (BlockNumber block = 0; block < found_.size(); ++block) {
    valid[blocks_.gc_unit_of(block)] += valid_[block];
    if (found_[block].kind == Kind::Log && found_[block].of_epoch) of_log[blocks_.gc_unit_of(block)] = 1;
  }
  const auto first_of_unit = [this](std::size_t i) { return i == 0 || losers_[i - 1].unit != losers_[i].unit; };
  for (std::size_t i = 0; i < losers_.size(); ++i)
    if (first_of_unit(i) && instead(losers_[i])) ++replaceable[gc_unit_of(map_.get(losers_[i].unit))];
  for (GcUnit gc_unit = first; gc_unit < end; ++gc_unit) {
    if (unusable(gc_unit) || of_log[gc_unit] != 0 || replaceable[gc_unit] != valid[gc_unit]) continue;
    for (std::size_t i = 0; i < losers_.size(); ++i) {
      const Loser& loser = losers_[i];
      if (!first_of_unit(i) || !instead(loser) || gc_unit_of(map_.get(loser.unit)) != gc_unit) continue;
      --valid_[blocks_.block_of(map_.get(loser.unit))];
      map_.set(loser.unit, loser.place);
      ++valid_[blocks_.block_of(loser.place)];
    }
    co_return;
  }
}

// A member of a GC unit in use stays in use, whatever it holds.
void Mount::close_blocks() {
  const std::vector<std::uint8_t> free = free_gc_units();
  std::vector<std::uint8_t> of_log(free.size());
  for (BlockNumber block = 0; block < found_.size(); ++block)
    if (found_[block].kind == Kind::Log && found_[block].of_epoch) of_log[blocks_.gc_unit_of(block)] = 1;
  for (BlockNumber block = 0; block < found_.size(); ++block) {
    const Found& found = found_[block];
    const bool closed = free[blocks_.gc_unit_of(block)] == 0 && of_log[blocks_.gc_unit_of(block)] == 0;
    if (closed && blocks_[block].state != BlockState::Bad) {
      blocks_.restore_closed(block, valid_[block]);
      continue;
    }
    if (found.kind == Kind::Erased || blocks_[block].state == BlockState::Bad) continue;
    if (is_free(block)) {  // or a victim whose erase had not begun
      blocks_[block].erased = false;
      result_.to_erase.push_back(block);
    } else {
      if (found.kind != Kind::Log) throw std::logic_error("a GC unit holds data beside the metadata log");
      blocks_.restore_dedicated(block);
    }
  }
}

}  // namespace flashloom
