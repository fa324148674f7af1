// Spilled program units: a small log, whose oldest erase unit is emptied when the log has its maximum size. Each
// program unit has at least one unit of padding, which distinguishes it from those of zones. With random write areas
// the log may hold several versions of a unit: then it shrinks only at its oldest end, one erase after another; else a
// power cut could bring back an older version after the newer one is erased.
#include <algorithm>
#include <utility>
#include <vector>

#include "controllers/ftl/zones/zoned_ftl.hpp"

namespace flashloom {

Task<void> ZonedFtl::spill(bool gaps) {
  ProgramJob* job = nullptr;
  for (Zone& zone : zones_) {
    if (zone.gaps != gaps) continue;
    for (WriteUnit*& unit : zone.waiting) {
      if (unit == nullptr) continue;
      if (job == nullptr) job = co_await begin_spill();
      if (job == nullptr) co_return;
      place(*job, *std::exchange(unit, nullptr));  // the map tells that the unit is spilled
      zone.may_return = zone.may_return || zone.programmed == 0 || spills_to_log();
      ++costs_.spilled_units;
      if (job->filled == shape_.spill_payload()) launch_spill(std::exchange(job, nullptr), gaps);
    }
  }
  if (job != nullptr) launch_spill(job, gaps);
}

// Data from before the zone's reset must be erased, and committed data be at their place, before a mount can find
// spilled units that follow them.
Task<void> ZonedFtl::before_areas() {
  const bool any = std::any_of(zones_.begin(), zones_.end(), [](const Zone& zone) {
    return zone.gaps &&
           std::any_of(zone.waiting.begin(), zone.waiting.end(), [](auto* unit) { return unit != nullptr; });
  });
  if (!any) co_return;
  co_await persist_trims();
  for (const Zone& zone : zones_)
    if (zone.gaps) co_await until_erased(zone.erasing);
}

// Records that only newer versions of the zone count; returns when a mount would find the record.
Task<void> ZonedFtl::note_reset(std::uint32_t number, std::uint64_t version) {
  const auto gap = [this](ProgramJob& job, OobWord word) {
    programmer_.jobs().place_gap(job, word);
    count_padded(1);
  };
  ProgramJob* job = co_await begin_spill(shape_.spill_has_header() ? 2 : 1);
  for (bool told = !shape_.spill_has_header(); job != nullptr && !told;) {  // the record follows
    gap(*job, reset_word());
    launch(*job);
    told = !lets_fail(spill_.back());
    if (!told) {
      job = co_await begin_spill(2);
      continue;
    }
    job = &programmer_.jobs().begin(spill_.back(), Origin::Padding);
    carry(*job);
  }
  if (job == nullptr) co_return;  // a worn-out device confirms nothing more
  gap(*job, layout_.encode(first_unit(number), version));
  while (job->filled < units_per_program_) gap(*job, reset_word());
  launch(*job);
  co_await programmer_.jobs().all_done();
}

Task<ProgramJob*> ZonedFtl::begin_spill(std::uint32_t programs) {
  while (!has_room(programs) || lets_fail(spill_.back())) {
    const bool made = co_await make_spill_room();
    if (!made) co_return nullptr;
  }
  ProgramJob& job = programmer_.jobs().begin(spill_.back(), Origin::Host);
  carry(job);
  co_return &job;
}

Task<ProgramJob*> ZonedFtl::begin_moved() {
  while (!has_room(1) || lets_fail(spill_.back())) {
    const bool opened = co_await open_spill();
    if (!opened) co_return nullptr;
  }
  ProgramJob& job = programmer_.jobs().begin(spill_.back(), Origin::Gc);
  job.owners[0] = 0;  // of no collection
  carry(job);
  co_return &job;
}

void ZonedFtl::launch_spill(ProgramJob* job, bool gaps) {
  std::uint32_t padded = 0;
  if (gaps)
    for (; job->filled < units_per_program_; ++padded) programmer_.jobs().place_gap(*job, area_word());
  else
    padded = programmer_.jobs().pad(*job);
  count_padded(padded);
  launch(*job);
}

Task<bool> ZonedFtl::open_spill() {
  const BlockNumber block = co_await open_anywhere();
  if (block == kNoBlockNumber) co_return false;
  spill_.push_back(block);
  if (!shape_.spill_has_header() || lets_fail(block)) co_return true;
  ProgramJob& job = programmer_.jobs().begin(block, Origin::Padding);
  carry(job);
  launch_spill(&job, true);
  co_return true;
}

// Opens the next erase unit of the log; if the log is at its maximum size, moves the valid units of the oldest one
// there.
Task<bool> ZonedFtl::make_spill_room() {
  release_spilled();
  const bool opened = co_await open_spill();
  if (!opened) co_return false;
  if (spills_to_log()) {
    if (spill_.size() >= shape_.spill_blocks()) co_await drop_oldest_spilled();
    co_return true;
  }
  if (spill_.size() >= shape_.spill_blocks()) co_await move_spilled(spill_.front());
  release_spilled();
  co_return true;
}

bool ZonedFtl::has_room(BlockNumber block, std::uint32_t programs) const {
  const BlockInfo& info = blocks_[block];
  return !info.failed && info.allocated + programs * context_.geometry.program_pages <= context_.geometry.pages;
}

// Whether the valid units of `spilled` fit: they take no more program units than that block has.
bool ZonedFtl::has_room_for(BlockNumber spilled) const {
  const std::uint32_t programs =
      std::min(blocks_[spilled].valid, shape_.programs_per_block() - (shape_.spill_has_header() ? 1 : 0));
  return has_room(programs);
}

// Requires a log of at least two erase units; the last has room for the valid units of the first unless programs fail.
Task<void> ZonedFtl::drop_oldest_spilled() {
  const BlockNumber block = spill_.front();
  co_await move_spilled(block);
  if (blocks_[block].valid != 0) co_return;  // the device is worn out
  carry_before_giving_back(block);
  spill_.pop_front();
  give_back(block, Origin::Gc);
  const std::vector<PendingErase> erases = {blocks_.pending_erase(block)};
  co_await until_erased(erases);
}

// Moves the valid units of an erase unit to the one being written, which has room: a zone's spilled units take less
// than two program units.
Task<void> ZonedFtl::move_spilled(BlockNumber from) {
  co_await move_spilled(from, false);
  if (spills_to_log()) co_await move_spilled(from, true);
}

Task<void> ZonedFtl::move_spilled(BlockNumber from, bool gaps) {
  ProgramJob* job = nullptr;
  for (std::uint32_t at = 0; at < blocks_.units_per_block() && blocks_[from].valid != 0; ++at) {
    const PhysicalUnit place = from * blocks_.units_per_block() + at;
    const OobWord word = word_of(place);
    if (!layout_.is_data(word) || map_.get(layout_.unit(word)) != place) continue;
    if (zone_with(layout_.unit(word)).gaps != gaps) continue;
    if (job == nullptr) job = co_await begin_moved();
    if (job == nullptr) co_return;
    ++statistics_.units_moved;
    copy(*job, layout_.unit(word));
    if (job->filled == shape_.spill_payload()) launch_spill(std::exchange(job, nullptr), gaps);
  }
  if (job != nullptr) launch_spill(job, gaps);
}

// Erases all erase units of the log except a new one, so that no reset data can come back.
Task<void> ZonedFtl::empty_spill() {
  stale_spill_ = false;
  const std::vector<BlockNumber> old(spill_.begin(), spill_.end());
  if (old.empty()) co_return;
  std::vector<PendingErase> erases;
  bool made = co_await make_spill_room();
  for (const BlockNumber block : old) {
    if (spills_to_log()) {
      if (spill_.front() != block) continue;  // already dropped to make room
      while (made && !has_room_for(block)) made = co_await make_spill_room();
      if (made && spill_.front() == block) co_await drop_oldest_spilled();
      continue;
    }
    if (std::find(spill_.begin(), spill_.end(), block) != spill_.end()) {
      while (made && !has_room(blocks_[block].valid) && blocks_[spill_.back()].allocated != 0)
        made = co_await make_spill_room();
      if (made) co_await move_spilled(block);
      release_spilled();
    }
    erases.push_back(blocks_.pending_erase(block));
  }
  co_await until_erased(erases);
}

// Releases erase units of the log without valid units, except the one being written.
void ZonedFtl::release_spilled() {
  if (spills_to_log()) return;
  for (std::size_t i = 0; i + 1 < spill_.size();) {
    const BlockNumber block = spill_[i];
    if (blocks_[block].valid != 0) {
      ++i;
      continue;
    }
    spill_.erase(spill_.begin() + static_cast<std::ptrdiff_t>(i));
    carry_before_giving_back(block);
    give_back(block, Origin::Gc);
  }
}

}  // namespace flashloom
