#include "controllers/ftl/program/torn_writes.hpp"

#include <algorithm>

#include "controllers/hardware/drive_faults.hpp"

namespace flashloom {

void TornWrites::placed(const ProgramJob& job, std::uint32_t index, PhysicalUnit old) {
  const std::uint32_t sectors = context_.sectors_per_unit;
  const SectorToken* before = nullptr;
  if (old != kNoPhysicalUnit) {
    if (!blocks_.on_flash(old)) return;
    const BlockNumber block = blocks_.block_of(old);
    const std::uint32_t in_block = blocks_.offset_in_block(old, block);
    const std::uint32_t per_page = context_.geometry.units_per_page;
    before = context_.media.tokens(blocks_.address(block, in_block / per_page), in_block % per_page);
    if (before == nullptr) return;
  }
  Note& note = notes_[&job];
  note.units.push_back(index);
  if (before != nullptr)
    note.old.insert(note.old.end(), before, before + sectors);
  else
    note.old.insert(note.old.end(), sectors, SectorToken{0});  // never written, or trimmed
}

void TornWrites::prepare(ProgramJob& job) {
  const auto found = notes_.find(&job);
  if (found == notes_.end()) return;
  Note& note = found->second;
  const std::uint32_t sectors = context_.sectors_per_unit;
  const std::size_t all = std::size_t{job.command.units} * sectors;
  note.left.assign(job.tokens, job.tokens + all);
  note.contents = {.tokens = note.left.data(), .units = 0, .struck = &faults_.units_torn()};
  for (std::size_t i = 0; i < note.units.size(); ++i) {
    SectorToken* const unit = note.left.data() + std::size_t{note.units[i]} * sectors;
    const SectorToken newest = *std::max_element(unit, unit + sectors);
    std::uint64_t of_newest = 0;
    for (std::uint32_t sector = 0; sector < sectors; ++sector)
      if (unit[sector] == newest) of_newest |= std::uint64_t{1} << sector;
    const std::uint64_t off = newest == 0 ? 0 : faults_.torn_off(of_newest);
    for (std::uint32_t sector = 0; sector < sectors; ++sector)
      if ((off >> sector & 1) != 0) unit[sector] = note.old[i * sectors + sector];
    note.contents.units += off != 0 ? 1 : 0;
  }
  note.units.clear();
  note.old.clear();
  job.command.torn = note.contents.units != 0 ? &note.contents : nullptr;
}

}  // namespace flashloom
