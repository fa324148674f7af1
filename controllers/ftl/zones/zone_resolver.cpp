#include "controllers/ftl/zones/zone_resolver.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace flashloom {

ZoneResolver::ZoneResolver(const ZonePart& ftl, ZoneBlocks& zone_blocks, FinalStateLog& final_states, SpillLog& spill,
                           const BlockScan& scan)
    : ZonePart(ftl),
      zone_blocks_(zone_blocks),
      final_states_(final_states),
      spill_(spill),
      scan_(scan),
      candidates_(std::size_t{shape_.zones} * shape_.blocks_per_zone()),
      reset_(shape_.zones),
      kind_(blocks_.size(), kNothing) {}

ZoneResolver::Result ZoneResolver::run() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (scan_[block].used() && !scan_[block].torn_erase) look_at(block);
  for (std::uint32_t zone = 0; zone < shape_.zones; ++zone) resolve(zone);
  take_over_spilled();
  take_over_final_states();
  erase_the_rest();
  return std::move(result_);
}

bool ZoneResolver::readable(BlockNumber block, std::uint32_t row) const {
  for (std::uint32_t at = 0; at < units_per_program_; ++at)
    if (word(block, row, at) == 0) return false;
  return true;
}

std::uint32_t ZoneResolver::written_rows(BlockNumber block) const {
  const std::uint32_t pages = context_.geometry.program_pages;
  return (scan_[block].pages + pages - 1) / pages;
}

bool ZoneResolver::has_word(BlockNumber block, std::uint32_t row, OobWord wanted) const {
  for (std::uint32_t at = 0; at < units_per_program_; ++at)
    if (word(block, row, at) == wanted) return true;
  return false;
}

void ZoneResolver::take_final_states(BlockNumber block) {
  kind_[block] = kFinalStates;
  for (std::uint32_t row = 0; row < written_rows(block); ++row)
    for (std::uint32_t at = 0; at < units_per_program_; ++at) final_states_.take(word(block, row, at));
}

// Decided by the first row: a power cut during a failing program may leave anything in later rows.
bool ZoneResolver::of_zone(BlockNumber block) const {
  return readable(block, 0) && !has_word(block, 0, layout_.padding()) && !has_word(block, 0, area_word()) &&
         !has_word(block, 0, reset_word());
}

void ZoneResolver::look_at(BlockNumber block) {
  const OobLayout& layout = layout_;
  if (final_states_.used() && readable(block, 0) && final_states_.take(word(block, 0, 0)))
    return take_final_states(block);
  const bool in_zone = of_zone(block);
  bool spilled = false;
  bool header = false;
  bool reset = false;
  for (std::uint32_t row = 0; row < written_rows(block); ++row) {
    for (std::uint32_t at = 0; at < units_per_program_; ++at)
      if (const OobWord w = word(block, row, at); layout.is_data(w))
        result_.newest_version = std::max(result_.newest_version, layout.version(w));
    if (in_zone || !readable(block, row)) continue;
    if (spills_versions() && (reset || has_word(block, row, reset_word()))) {
      for (std::uint32_t at = 0; at < units_per_program_; ++at)
        if (const OobWord w = word(block, row, at); layout.is_data(w)) note_reset(w);
      reset = !reset && shape_.spill_has_header();
      spilled = true;
      continue;
    }
    const bool area = spills_versions() && (header || has_word(block, row, area_word()));
    if (!area && !has_word(block, row, layout.padding())) continue;
    spilled = true;
    header = area && shape_.spill_has_header();
    for (std::uint32_t at = 0; at < units_per_program_; ++at)
      if (const OobWord w = word(block, row, at); layout.is_data(w))
        note_spilled(block, row * units_per_program_ + at, w, area);
  }
  kind_[block] = spilled ? kSpilled : kZone;
  if (in_zone) note_candidate(block);
}

void ZoneResolver::note_spilled(BlockNumber block, std::uint32_t at, OobWord w, bool area) {
  const PhysicalUnit place = block * blocks_.units_per_block() + at;
  zones_[layout_.unit(w) / shape_.zone_units].may_return = true;  // even if no longer needed
  Spilled& newest = spilled_[layout_.unit(w)];
  // Of equal copies in a log the older one counts, so that copies begun by an earlier mount can be erased.
  const bool again = newest.version == layout_.version(w) + 1 && spills_versions() &&
                     scan_[blocks_.block_of(newest.place)].sequence < scan_[block].sequence;
  if (newest.version == 0 || (layout_.version(w) + 1 >= newest.version && !again))
    newest = {place, layout_.version(w) + 1, area};
}

void ZoneResolver::note_reset(OobWord w) {
  const std::uint32_t zone = layout_.unit(w) / shape_.zone_units;
  reset_[zone] = std::max(reset_[zone], layout_.version(w) + 1);
}

void ZoneResolver::note_candidate(BlockNumber block) {
  const OobLayout& layout = layout_;
  Candidate candidate{.block = block, .sequence = scan_[block].sequence};
  while (candidate.rows < written_rows(block) && readable(block, candidate.rows)) ++candidate.rows;
  std::uint32_t zone = kNoZone;
  std::uint32_t slot = 0;
  for (std::uint32_t at = 0; at < units_per_program_ && zone == kNoZone; ++at)
    if (const OobWord w = word(block, 0, at); layout.is_data(w)) {
      zone = layout.unit(w) / shape_.zone_units;
      slot = shape_.slot_of(offset_of(layout.unit(w)) / units_per_program_);
      candidate.version = layout.version(w) + 1;
    }
  if (zone != kNoZone) return add(zone, slot, candidate);
  // Only padding: belongs to a finished zone.
  const std::uint32_t number = layout.parity_of(word(block, 0, 0));
  if (number != 0 && number <= finish_words())
    add((number - 1) / shape_.blocks_per_zone(), (number - 1) % shape_.blocks_per_zone(), candidate);
}

void ZoneResolver::add(std::uint32_t zone, std::uint32_t slot, const Candidate& candidate) {
  candidates_[std::size_t{zone} * shape_.blocks_per_zone() + slot].push_back(candidate);
}

ZoneResolver::Found ZoneResolver::match(std::uint32_t zone, std::uint32_t program, BlockNumber block,
                                        std::uint64_t newest) const {
  const OobLayout& layout = layout_;
  const std::uint32_t row = shape_.row_of(program);
  Found found{.newest = newest};
  if (!readable(block, row)) return found;
  for (std::uint32_t at = 0; at < units_per_program_; ++at) {
    const OobWord w = word(block, row, at);
    if (w == finish_word(zone, shape_.slot_of(program))) {
      found.fits = found.finished = true;
      return found;
    }
    const bool expected = layout.is_data(w) && layout.unit(w) == first_unit(zone) + program * units_per_program_ + at;
    if (!expected || layout.version(w) + 1 < found.newest) return found;
    found.newest = layout.version(w) + 1;
    ++found.units;
  }
  found.fits = true;
  return found;
}

void ZoneResolver::resolve(std::uint32_t number) {
  if (final_states_[number] == FinalState::Offline) return table_.make_offline(number);
  FlashZone& zone = zones_[number];
  std::uint64_t newest = 0;
  bool finished = false;
  std::uint32_t units = 0;
  std::uint32_t program = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t first = 0;  // 1 + version of the zone's first unit
  while (!finished && program < shape_.programs_per_zone()) {
    const std::uint32_t slot = shape_.slot_of(program);
    BlockNumber& block = zone.blocks[slot];
    Found found;
    if (block != kNoBlockNumber) {
      found = match(number, program, block, newest);
    } else if (shape_.row_of(program) == 0) {
      auto& list = candidates_[std::size_t{number} * shape_.blocks_per_zone() + slot];
      std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.version, a.rows, a.sequence) > std::tie(b.version, b.rows, b.sequence);
      });
      for (const Candidate& candidate : list) {
        // Padding from before the zone's reset.
        const bool older = candidate.version == 0 && candidate.sequence < first_sequence;
        const bool reset = candidate.version != 0 && candidate.version <= reset_[number];
        if (kind_[candidate.block] == kTaken || older || reset) continue;
        found = match(number, program, candidate.block, newest);
        if (!found.fits) continue;
        block = candidate.block;
        kind_[block] = kTaken;
        if (program == 0) first_sequence = candidate.sequence;
        if (program == 0) first = candidate.version;
        break;
      }
    }
    if (!found.fits) break;
    finished = found.finished;
    newest = found.newest;
    units += found.units;
    ++program;
  }
  zone.programmed = program;
  zone.generation = first != 0 ? first - 1 : result_.newest_version + 1;
  first = std::max(first, reset_[number] + 1);
  if (!finished) units = take_spilled(number, program * units_per_program_, newest, first);
  for (std::uint32_t slot = 0; slot < zone.blocks.size(); ++slot)
    if (zone.blocks[slot] != kNoBlockNumber && take_over(number, slot) && !finished)
      result_.dirty.push_back({number, slot});
  table_.restore(number, units, finished);
  if (final_states_[number] == FinalState::ReadOnly) table_.make_read_only(number);
}

// Takes spilled units that follow those at their places. Returns the offset of the write pointer.
std::uint32_t ZoneResolver::take_spilled(std::uint32_t number, std::uint32_t offset, std::uint64_t newest,
                                         std::uint64_t first) {
  const auto begin = spilled_.lower_bound(first_unit(number) + offset);
  const auto end = spilled_.lower_bound(first_unit(number) + shape_.capacity_units);
  if (std::any_of(begin, end, [first](const auto& each) { return each.second.area && each.second.version >= first; }))
    return take_area(number, begin, end, first);
  for (auto each = begin; each != end && each->first == first_unit(number) + offset; ++each, ++offset) {
    if (each->second.version < newest || each->second.version < first) break;
    newest = each->second.version;
    take(each->first, each->second);
  }
  return offset;
}

std::uint32_t ZoneResolver::take_area(std::uint32_t number, SpilledUnits::const_iterator begin,
                                      SpilledUnits::const_iterator end, std::uint64_t first) {
  FlashZone& zone = zones_[number];
  zone.gaps = true;
  std::uint32_t written = 0;
  for (auto each = begin; each != end; ++each) {
    if (each->second.version < first) continue;
    take(each->first, each->second);
    zone.generation = std::min(zone.generation, each->second.version - 1);
    written = offset_of(each->first) + 1;
  }
  return written;
}

void ZoneResolver::take(std::uint32_t unit, const Spilled& spilled) {
  map_.set(unit, spilled.place);
  ++spilled_valid_[blocks_.block_of(spilled.place)];
}

// Takes over a slot's erase unit. True if it cannot be programmed further although the zone needs it.
bool ZoneResolver::take_over(std::uint32_t number, std::uint32_t slot) {
  const FlashZone& zone = zones_[number];
  const BlockNumber block = zone.blocks[slot];
  const NandGeometry& geometry = context_.geometry;
  const std::uint32_t rows = shape_.rows_of(slot, zone.programmed);
  std::uint32_t valid = 0;
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t at = 0; at < units_per_program_; ++at) {
      const OobWord w = word(block, row, at);
      if (!layout_.is_data(w)) continue;
      map_.set(layout_.unit(w), block * blocks_.units_per_block() + row * units_per_program_ + at);
      ++valid;
    }
  const bool clean = scan_[block].pages == rows * geometry.program_pages && !blocks_[block].failed;
  scan_.restore(blocks_, block, clean ? rows * geometry.program_pages : geometry.pages, valid);
  return !clean && rows < shape_.programs_per_block;
}

// For a block of the spill log: whether older blocks hold all of its data, too.
bool ZoneResolver::copies_alone(BlockNumber block) const {
  for (std::uint32_t row = 0; row < written_rows(block); ++row)
    for (std::uint32_t at = 0; at < units_per_program_; ++at) {
      const OobWord w = word(block, row, at);
      if (w == reset_word()) return false;
      if (!layout_.is_data(w)) continue;
      const auto found = spilled_.find(layout_.unit(w));
      if (found == spilled_.end() || found->second.version != layout_.version(w) + 1 ||
          blocks_.block_of(found->second.place) == block)
        return false;
    }
  return true;
}

bool ZoneResolver::in_log(BlockNumber block) const {
  if (!spills_versions()) return spilled_valid_.contains(block);
  return kind_[block] == kSpilled && !copies_alone(block);
}

void ZoneResolver::take_over_spilled() {
  std::vector<BlockNumber> used;
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (in_log(block)) used.push_back(block);
  std::sort(used.begin(), used.end(),
            [this](BlockNumber a, BlockNumber b) { return scan_[a].sequence < scan_[b].sequence; });
  for (const BlockNumber block : used) {
    scan_.restore(blocks_, block, context_.geometry.pages, spilled_valid_[block]);
    kind_[block] = kTaken;
    spill_.take_over(block);
  }
}

void ZoneResolver::take_over_final_states() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (kind_[block] != kFinalStates) continue;
    scan_.restore(blocks_, block, context_.geometry.pages, 0);
    kind_[block] = kTaken;
    final_states_.take_over(block);
  }
}

void ZoneResolver::erase_the_rest() {
  std::vector<BlockNumber> to_erase;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (!scan_[block].used() || kind_[block] == kTaken || blocks_[block].state != BlockState::Free) continue;
    blocks_[block].erased = false;
    to_erase.push_back(block);
  }
  for (const BlockNumber block : to_erase) result_.erases.push_back(zone_blocks_.erase_found(block));
}

}  // namespace flashloom
