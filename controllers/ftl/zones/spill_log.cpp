#include "controllers/ftl/zones/spill_log.hpp"

#include <utility>
#include <vector>

namespace flashloom {

SpillLog::SpillLog(const ZonePart& ftl, ZoneBlocks& zone_blocks) : ZonePart(ftl), zone_blocks_(zone_blocks) {}

Task<void> SpillLog::spill(bool gaps) {
  ProgramJob* job = nullptr;
  for (FlashZone& zone : zones_) {
    if (zone.gaps != gaps) continue;
    for (WriteUnit*& unit : zone.waiting) {
      if (unit == nullptr) continue;
      if (job == nullptr) job = co_await begin();
      if (job == nullptr) co_return;
      zone_blocks_.place(*job, *std::exchange(unit, nullptr));  // the map tells that the unit is spilled
      zone.may_return = zone.may_return || zone.programmed == 0 || spills_versions();
      ++costs_.spilled_units;
      if (job->filled == shape_.spill_payload()) launch(std::exchange(job, nullptr), gaps);
    }
  }
  if (job != nullptr) launch(job, gaps);
}

Task<void> SpillLog::record_reset(std::uint32_t number, std::uint64_t version) {
  const auto gap = [this](ProgramJob& job, OobWord word) {
    programmer_.jobs().place_gap(job, word);
    count_padded(1);
  };
  ProgramJob* job = co_await begin(shape_.spill_has_header() ? 2 : 1);
  for (bool told = !shape_.spill_has_header(); job != nullptr && !told;) {  // the record follows
    gap(*job, reset_word());
    zone_blocks_.launch(*job);
    told = !zone_blocks_.lets_fail(log_.back());
    if (!told) {
      job = co_await begin(2);
      continue;
    }
    job = &zone_blocks_.begin(log_.back(), Origin::Padding);
  }
  if (job == nullptr) co_return;  // a worn-out device confirms nothing more
  gap(*job, layout_.encode(first_unit(number), version));
  while (job->filled < units_per_program_) gap(*job, reset_word());
  zone_blocks_.launch(*job);
  co_await programmer_.jobs().all_done();
}

Task<ProgramJob*> SpillLog::begin(std::uint32_t programs) {
  while (!has_room(programs) || zone_blocks_.lets_fail(log_.back())) {
    const bool made = co_await make_room();
    if (!made) co_return nullptr;
  }
  co_return &zone_blocks_.begin(log_.back(), Origin::Host);
}

Task<ProgramJob*> SpillLog::begin_moved() {
  while (!has_room(1) || zone_blocks_.lets_fail(log_.back())) {
    const bool opened = co_await open();
    if (!opened) co_return nullptr;
  }
  co_return &zone_blocks_.begin_copies(log_.back(), Origin::Gc);
}

void SpillLog::launch(ProgramJob* job, bool gaps) {
  std::uint32_t padded = 0;
  if (gaps)
    for (; job->filled < units_per_program_; ++padded) programmer_.jobs().place_gap(*job, area_word());
  else
    padded = programmer_.jobs().pad(*job);
  count_padded(padded);
  zone_blocks_.launch(*job);
}

Task<bool> SpillLog::open() {
  const BlockNumber block = co_await zone_blocks_.open_anywhere();
  if (block == kNoBlockNumber) co_return false;
  log_.push_back(block);
  if (!shape_.spill_has_header() || zone_blocks_.lets_fail(block)) co_return true;
  ProgramJob& job = zone_blocks_.begin(block, Origin::Padding);
  launch(&job, true);
  co_return true;
}

// Opens the next erase unit of the log; if the log is at its maximum size, moves the valid units of the oldest one
// there.
Task<bool> SpillLog::make_room() {
  release();
  const bool opened = co_await open();
  if (!opened) co_return false;
  if (spills_versions()) {
    if (log_.size() >= shape_.spill_blocks) co_await drop_oldest();
    co_return true;
  }
  if (log_.size() >= shape_.spill_blocks) co_await move(log_.front());
  release();
  co_return true;
}

// Whether the valid units of `spilled` fit: they take no more program units than that block has.
bool SpillLog::has_room_for(BlockNumber spilled) const {
  const std::uint32_t programs =
      std::min(blocks_[spilled].valid, shape_.programs_per_block - (shape_.spill_has_header() ? 1 : 0));
  return has_room(programs);
}

// Requires a log of at least two erase units; the last has room for the valid units of the first unless programs fail.
Task<void> SpillLog::drop_oldest() {
  const BlockNumber block = log_.front();
  co_await move(block);
  if (blocks_[block].valid != 0) co_return;  // the device is worn out
  zone_blocks_.before_giving_back(block);
  log_.pop_front();
  zone_blocks_.give_back(block, Origin::Gc);
  const std::vector<PendingErase> erases = {blocks_.pending_erase(block)};
  co_await zone_blocks_.until_erased(erases);
}

// Moves the valid units of an erase unit to the one being written, which has room: a zone's spilled units take less
// than two program units.
Task<void> SpillLog::move(BlockNumber from) {
  co_await move(from, false);
  if (spills_versions()) co_await move(from, true);
}

Task<void> SpillLog::move(BlockNumber from, bool gaps) {
  ProgramJob* job = nullptr;
  for (std::uint32_t at = 0; at < blocks_.units_per_block() && blocks_[from].valid != 0; ++at) {
    const PhysicalUnit place = from * blocks_.units_per_block() + at;
    const OobWord word = word_of(from, at);
    if (!layout_.is_data(word) || map_.get(layout_.unit(word)) != place) continue;
    if (zones_[layout_.unit(word) / shape_.zone_units].gaps != gaps) continue;
    if (job == nullptr) job = co_await begin_moved();
    if (job == nullptr) co_return;
    ++statistics_.units_moved;
    zone_blocks_.copy(*job, layout_.unit(word));
    if (job->filled == shape_.spill_payload()) launch(std::exchange(job, nullptr), gaps);
  }
  if (job != nullptr) launch(job, gaps);
}

Task<void> SpillLog::empty() {
  stale_ = false;
  const std::vector<BlockNumber> old(log_.begin(), log_.end());
  if (old.empty()) co_return;
  std::vector<PendingErase> erases;
  bool made = co_await make_room();
  for (const BlockNumber block : old) {
    if (spills_versions()) {
      if (log_.front() != block) continue;  // already dropped to make room
      while (made && !has_room_for(block)) made = co_await make_room();
      if (made && log_.front() == block) co_await drop_oldest();
      continue;
    }
    if (std::find(log_.begin(), log_.end(), block) != log_.end()) {
      while (made && !has_room(blocks_[block].valid) && blocks_[log_.back()].allocated != 0)
        made = co_await make_room();
      if (made) co_await move(block);
      release();
    }
    erases.push_back(blocks_.pending_erase(block));
  }
  co_await zone_blocks_.until_erased(erases);
}

void SpillLog::release() {
  if (spills_versions()) return;
  for (std::size_t i = 0; i + 1 < log_.size();) {
    const BlockNumber block = log_[i];
    if (blocks_[block].valid != 0) {
      ++i;
      continue;
    }
    log_.erase(log_.begin() + static_cast<std::ptrdiff_t>(i));
    zone_blocks_.before_giving_back(block);
    zone_blocks_.give_back(block, Origin::Gc);
  }
}

void SpillLog::note_reset(FlashZone& zone) {
  if (!spills_versions()) stale_ = stale_ || std::exchange(zone.may_return, false);
}

void SpillLog::state(StateArchive& archive) {
  std::vector<BlockNumber> log(log_.begin(), log_.end());
  archive(log, stale_);
  if (archive.loading()) log_.assign(log.begin(), log.end());
}

}  // namespace flashloom
