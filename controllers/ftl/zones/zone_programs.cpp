#include "controllers/ftl/zones/zone_programs.hpp"

#include "models/nand/nand_media.hpp"

namespace flashloom {

ZonePrograms::ZonePrograms(const ZonedTables& tables, const ZoneWords& words)
    : ZonePart(tables),
      words_(words),
      copier_(context_, blocks_, programmer_),
      failures_(programmer_.failure_handler()) {
  if (failures_ != nullptr) failures_->attach(*this);
}

ProgramJob& ZonePrograms::begin(BlockNumber block, Origin origin) {
  ProgramJob& job = programmer_.jobs().begin(block, origin);
  if (failures_ != nullptr) [[unlikely]]
    failures_->try_first(kWriter, job);
  return job;
}

ProgramJob& ZonePrograms::begin_copies(BlockNumber block, Origin origin) {
  ProgramJob& job = begin(block, origin);
  job.owners[0] = 0;
  return job;
}

void ZonePrograms::place(ProgramJob& job, WriteUnit& unit) {
  const PhysicalUnit old = map_.get(unit.unit);
  const PhysicalUnit place = programmer_.jobs().place_host(job, unit, old);
  if (old != kNoPhysicalUnit) blocks_.invalidate(old, age());
  map_.set(unit.unit, place);
  blocks_.validate(place);
}

void ZonePrograms::copy(ProgramJob& job, std::uint32_t unit) { copy_as(job, unit, word_of(map_.get(unit))); }

void ZonePrograms::copy_as(ProgramJob& job, std::uint32_t unit, OobWord word) {
  const PhysicalUnit from = map_.get(unit);
  const PhysicalUnit place = programmer_.jobs().place_copy(job, word, from);
  blocks_.invalidate(from, age());
  map_.set(unit, place);
  blocks_.validate(place);
}

void ZonePrograms::place_home(ProgramJob& job, WriteUnit& unit, const FlashZone& zone) {
  if (zone.gaps) unit.version = zone.generation;
  place(job, unit);
}

void ZonePrograms::copy_home(ProgramJob& job, std::uint32_t unit, const FlashZone& zone) {
  if (!zone.gaps) return copy(job, unit);
  const OobWord word = layout_.encode(unit, zone.generation);
  copy_as(job, unit, OobLayout::lost(word_of(map_.get(unit))) ? OobLayout::as_lost(word) : word);
}

void ZonePrograms::zero_home(ProgramJob& job, std::uint32_t unit, const FlashZone& zone) {
  const PhysicalUnit place =
      job.block * blocks_.units_per_block() + job.first_page * context_.geometry.units_per_page + job.filled;
  programmer_.jobs().place_gap(job, layout_.encode(unit, zone.generation));
  map_.set(unit, place);
  blocks_.validate(place);
}

void ZonePrograms::pad_finish(ProgramJob& job, std::uint32_t number, std::uint32_t slot) {
  programmer_.jobs().place_gap(job, words_.finish(number, slot));
  ++costs_.finish_padding;
  count_padded(1);
}

void ZonePrograms::launch(ProgramJob& job) {
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
}

OobWord ZonePrograms::word_of(PhysicalUnit place) const {
  const BlockNumber block = blocks_.block_of(place);
  const std::uint32_t at = blocks_.offset_in_block(place, block);
  const BlockInfo& info = blocks_[block];
  return info.pending != nullptr ? info.pending->oob[at] : context_.media.oob(blocks_.address(block, 0), at);
}

}  // namespace flashloom
