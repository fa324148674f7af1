#include "controllers/ftl/mapping/block_writer.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

BlockWriter::BlockWriter(const MappedPart& ftl, LogicalBlocks& logical, std::uint32_t open_programs, Complete complete,
                         std::uint64_t& newest_version)
    : MappedPart(ftl),
      logical_(logical),
      complete_(std::move(complete)),
      newest_version_(newest_version),
      copier_(context_, blocks_, programmer_),
      open_programs_(open_programs) {}

BlockWriter::OpenJob* BlockWriter::open_job(BlockNumber block) {
  for (OpenJob& open : jobs_)
    if (open.job->block == block) return &open;
  return nullptr;
}

std::uint32_t BlockWriter::next_position(BlockNumber block) const {
  const std::uint32_t units = context_.geometry.units_per_page;
  if (const OpenJob* const open = open_job(block)) return open->job->first_page * units + open->job->filled;
  return blocks_[block].allocated * units;
}

bool BlockWriter::can_place(BlockNumber block, std::uint32_t position) const {
  const BlockInfo& info = blocks_[block];
  if (!info.any_order) return position == next_position(block) && position < logical_.units();
  if (info.pending == nullptr) return false;
  const std::uint32_t first = position - position % units_per_program_;
  if (info.pending->oob[first] == 0) return true;  // its program unit has not been given out
  const OpenJob* const open = open_job(block);
  return open != nullptr && open->job->first_page * context_.geometry.units_per_page == first &&
         position >= first + open->job->filled;
}

bool BlockWriter::can_place(BlockNumber block, std::uint32_t position, std::uint32_t count) const {
  if (!blocks_[block].any_order) return can_place(block, position);
  for (std::uint32_t end = position + count; position != end; ++position)
    if (!can_place(block, position)) return false;
  return true;
}

ProgramJob& BlockWriter::job_at(BlockNumber block, std::uint32_t position, Origin origin) {
  const std::uint32_t units = context_.geometry.units_per_page;
  const std::uint32_t first = position - position % units_per_program_;
  OpenJob* open = open_job(block);
  if (open != nullptr && open->job->first_page * units != first) {
    seal(block);
    open = nullptr;
  }
  if (open == nullptr) {
    if (jobs_.size() >= open_programs_)
      seal(std::min_element(jobs_.begin(), jobs_.end(), [](const OpenJob& a, const OpenJob& b) {
             return a.touched < b.touched;
           })->job->block);
    open = &jobs_.emplace_back(OpenJob{&programmer_.jobs().begin(block, origin, first / units), 0});
  }
  open->touched = ++touches_;
  ProgramJob& job = *open->job;
  if (origin == Origin::Host) programmer_.jobs().carry_host_data(job);
  while (job.filled < position - first) gap(job);
  return job;
}

void BlockWriter::gap(ProgramJob& job) {
  programmer_.jobs().place_gap(job, layout_.padding());
  count_padded(1);
}

void BlockWriter::place_host(BlockNumber block, std::uint32_t position, WriteUnit& unit) {
  const PhysicalUnit old = map_.get(unit.unit);
  ProgramJob& job = job_at(block, position, Origin::Host);
  const PhysicalUnit place = programmer_.jobs().place_host(job, unit, old);
  if (old != kNoPhysicalUnit) blocks_.invalidate(old, age() + 1);
  map_.set(unit.unit, place);
  blocks_.validate(place);
  newest_version_ = std::max(newest_version_, unit.version);
  ++statistics_.units_written;
  ++statistics_.streams[0].units_written;
  placed(job);
  // At most as many blocks as open program units may wait with open word lines; the least recent one is closed. Copies
  // of a merge do not do this.
  while (exposed_.size() > open_programs_) close_word_lines(exposed_.front());
}

void BlockWriter::place_copy(BlockNumber block, std::uint32_t position, std::uint32_t unit) {
  const PhysicalUnit from = map_.get(unit);
  const BlockNumber source = blocks_.block_of(from);
  const std::uint32_t at = blocks_.offset_in_block(from, source);
  // Programs a unit whose program unit is still being filled: else its copy would wait for further writes.
  const OpenJob* const open = open_job(source);
  if (open != nullptr && at - open->job->first_page * context_.geometry.units_per_page < units_per_program_)
    seal(source);
  const OobWord word = logical_.word_of(source, at);
  ProgramJob& job = job_at(block, position, copies_for_);
  const PhysicalUnit place = programmer_.jobs().place_copy(job, word, from);
  blocks_.invalidate(from, age());
  map_.set(unit, place);
  blocks_.validate(place);
  ++(copies_for_ == Origin::Wear ? statistics_.units_leveled : statistics_.units_moved);
  placed(job);
}

void BlockWriter::placed(ProgramJob& job) {
  if (programmer_.jobs().full(job)) launch(job);
}

void BlockWriter::copy_range(LogicalBlock logical, BlockNumber block, std::uint32_t from, std::uint32_t to) {
  const auto wanted = [&](std::uint32_t offset) { return logical_.place_of(logical, offset) != kNoPhysicalUnit; };
  for (std::uint32_t offset = from; offset < to; ++offset) {
    if (blocks_[block].any_order && offset % units_per_program_ == 0) {
      // A program unit without data stays erased.
      std::uint32_t end = offset;
      while (end < offset + units_per_program_ && !wanted(end)) ++end;
      if (end == offset + units_per_program_) {
        offset = end - 1;
        continue;
      }
    }
    const PhysicalUnit place = logical_.place_of(logical, offset);
    if (logical_.lies_in(place, block) || !can_place(block, offset)) continue;
    if (place != kNoPhysicalUnit) {
      place_copy(block, offset, logical_.first_unit(logical) + offset);
      continue;
    }
    ProgramJob& job = job_at(block, offset, copies_for_);
    gap(job);
    placed(job);
  }
}

void BlockWriter::launch(ProgramJob& job) {
  const BlockNumber block = job.block;
  jobs_.erase(std::find_if(jobs_.begin(), jobs_.end(), [&job](const OpenJob& open) { return open.job == &job; }));
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
  note_exposed(block);
  logical_.holds_data(block);
}

void BlockWriter::note_exposed(BlockNumber block) {
  if (programmer_.exposed().word_lines().independent()) return;
  std::erase(exposed_, block);
  if (programmer_.exposed().in(block)) exposed_.push_back(block);
}

void BlockWriter::close_word_lines(BlockNumber block) {
  if (open_job(block) != nullptr) seal(block);
  std::erase(exposed_, block);
  while (programmer_.exposed().in(block)) {
    ProgramJob& job = programmer_.jobs().begin_padding(block, Origin::Host);
    count_padded(programmer_.jobs().pad(job));
    programmer_.program(job);
  }
}

void BlockWriter::seal(BlockNumber block) {
  ProgramJob& job = *open_job(block)->job;
  const Origin copies = std::exchange(copies_for_, Origin::Merge);  // whichever block this is
  complete_(job);
  copies_for_ = copies;
  if (open_job(block) == nullptr) return;  // complete() filled the program unit, which is in flight
  count_padded(programmer_.jobs().pad(job));
  launch(job);
}

void BlockWriter::restore(const BlockScan& scan, BlockNumber block, std::uint32_t valid) {
  const NandGeometry& geometry = context_.geometry;
  std::uint32_t pages = 0;
  for (std::uint32_t page = 0; page < geometry.pages; ++page) pages += scan.written(block, page) ? 1 : 0;
  // A block whose data later programs could still destroy is not programmed any further.
  if (programmer_.exposed().word_lines().safe(pages) < pages) pages = geometry.pages;
  scan.restore(blocks_, block, pages, valid);
  logical_.holds_data(block);
}

void BlockWriter::program_before_erase(BlockNumber block) {
  for (std::size_t i = 0; i < jobs_.size();) {
    const ProgramJob& job = *jobs_[i].job;
    if (job.block == block || programmer_.exposed().needs(job, block)) {
      seal(job.block);
      i = 0;
    } else {
      ++i;
    }
  }
  std::erase(exposed_, block);
  for (std::size_t i = 0; i < exposed_.size();) {
    const bool needed = programmer_.exposed().needs(exposed_[i], block);
    if (needed) close_word_lines(exposed_[i]);  // removes entries of the list
    i = needed ? 0 : i + 1;
  }
}

void BlockWriter::seal_all() {
  while (!jobs_.empty()) seal(jobs_.front().job->block);
  while (close_longest_exposed()) {
  }
}

bool BlockWriter::close_longest_exposed() {
  if (exposed_.empty()) return false;
  close_word_lines(exposed_.front());
  return true;
}

std::uint32_t BlockWriter::most_waiting() const {
  const std::uint32_t exposed = programmer_.exposed().word_lines().most_exposed() * context_.geometry.units_per_page;
  return open_programs_ * (units_per_program_ + exposed);
}

void BlockWriter::job_states(StateArchive& archive, FrontBuffer& front) {
  auto jobs = static_cast<std::uint32_t>(jobs_.size());
  archive(jobs);
  if (archive.loading()) jobs_.resize(jobs);
  for (OpenJob& open : jobs_) {
    archive(open.touched);
    programmer_.jobs().job_state(archive, open.job, front);
  }
}

}  // namespace flashloom
