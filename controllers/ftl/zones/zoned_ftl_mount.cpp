// Mount of a zoned device: finds everything in the spare areas.
//
// An erase unit belongs to a zone (or to its data before a reset) if its first program unit holds the units of a
// program unit of the zone, each at its place, without padding. The zone's data continue from program unit to program
// unit as long as the next one is present and its versions are no older. Spilled units may follow. If a copy (of a
// mount, or after a program failure) is as long as its original, the copy is taken. Of a random write area all units
// are taken that are no older than the zone's first unit; the write pointer is then after the last of them, and the
// area is released.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "controllers/ftl/zones/zoned_ftl.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

class ZonedFtl::Resolver {
 public:
  Resolver(ZonedFtl& ftl, const BlockScan& scan)
      : ftl_(ftl),
        scan_(scan),
        shape_(ftl.shape_),
        units_(ftl.units_per_program_),
        candidates_(std::size_t{shape_.zones()} * shape_.blocks_per_zone()),
        reset_(shape_.zones()),
        kind_(ftl.blocks_.size(), kNothing) {}

  /// Erase units to be copied before the zone is written further: zone, slot.
  using Dirty = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  Dirty run() {
    for (BlockNumber block = 0; block < ftl_.blocks_.size(); ++block)
      if (scan_[block].used() && !scan_[block].torn_erase) look_at(block);
    Dirty dirty;
    for (std::uint32_t zone = 0; zone < shape_.zones(); ++zone) resolve(zone, dirty);
    take_over_spilled();
    take_over_notes();
    erase_the_rest();
    return dirty;
  }

 private:
  enum Kind : std::uint8_t { kNothing, kSpilled, kZone, kNotes, kTaken };
  struct Candidate {
    BlockNumber block = kNoBlockNumber;
    std::uint64_t version = 0;  ///< 1 + version of its first unit; 0: it is padding
    std::uint32_t rows = 0;     ///< readable ones
    std::uint64_t sequence = 0;
  };

  struct Spilled {
    PhysicalUnit place = 0;
    std::uint64_t version = 0;  ///< 1 + version of the unit
    bool area = false;
  };
  using SpilledUnits = std::map<std::uint32_t, Spilled>;

  OobWord word(BlockNumber block, std::uint32_t row, std::uint32_t at) const {
    return scan_.word(block, row * units_ + at);
  }
  bool readable(BlockNumber block, std::uint32_t row) const {
    for (std::uint32_t at = 0; at < units_; ++at)
      if (word(block, row, at) == 0) return false;
    return true;
  }
  std::uint32_t written_rows(BlockNumber block) const {
    const std::uint32_t pages = ftl_.context_.geometry.program_pages;
    return (scan_[block].pages + pages - 1) / pages;
  }
  bool has_word(BlockNumber block, std::uint32_t row, OobWord wanted) const {
    for (std::uint32_t at = 0; at < units_; ++at)
      if (word(block, row, at) == wanted) return true;
    return false;
  }

  // Takes a record of a final zone state; false if the word is none.
  bool take_note(OobWord w) {
    const std::uint32_t number = ftl_.layout_.parity_of(w);
    const std::uint32_t first = ftl_.layout_.parity_of(ftl_.state_word(0, Ended::ReadOnly));
    if (number < first || number - first >= 2 * shape_.zones()) return false;
    Ended& ended = ftl_.ended_[(number - first) / 2];
    ended = std::max(ended, (number - first) % 2 == 0 ? Ended::ReadOnly : Ended::Offline);
    return true;
  }
  void take_notes(BlockNumber block) {
    kind_[block] = kNotes;
    for (std::uint32_t row = 0; row < written_rows(block); ++row)
      for (std::uint32_t at = 0; at < units_; ++at) take_note(word(block, row, at));
  }
  // Decided by the first row: a power cut during a failing program may leave anything in later rows.
  bool of_zone(BlockNumber block) const {
    return readable(block, 0) && !has_word(block, 0, ftl_.layout_.padding()) && !has_word(block, 0, ftl_.area_word()) &&
           !has_word(block, 0, ftl_.reset_word());
  }

  void look_at(BlockNumber block) {
    const OobLayout& layout = ftl_.layout_;
    if (ftl_.notes_ends_ && readable(block, 0) && take_note(word(block, 0, 0))) return take_notes(block);
    const bool in_zone = of_zone(block);
    bool spilled = false;
    bool header = false;
    bool reset = false;
    for (std::uint32_t row = 0; row < written_rows(block); ++row) {
      for (std::uint32_t at = 0; at < units_; ++at)
        if (const OobWord w = word(block, row, at); layout.is_data(w))
          ftl_.newest_version_ = std::max(ftl_.newest_version_, layout.version(w));
      if (in_zone || !readable(block, row)) continue;
      if (ftl_.spills_to_log() && (reset || has_word(block, row, ftl_.reset_word()))) {
        for (std::uint32_t at = 0; at < units_; ++at)
          if (const OobWord w = word(block, row, at); layout.is_data(w)) note_reset(w);
        reset = !reset && shape_.spill_has_header();
        spilled = true;
        continue;
      }
      const bool area = ftl_.spills_to_log() && (header || has_word(block, row, ftl_.area_word()));
      if (!area && !has_word(block, row, layout.padding())) continue;
      spilled = true;
      header = area && shape_.spill_has_header();
      for (std::uint32_t at = 0; at < units_; ++at)
        if (const OobWord w = word(block, row, at); layout.is_data(w)) note_spilled(block, row * units_ + at, w, area);
    }
    kind_[block] = spilled ? kSpilled : kZone;
    if (in_zone) note_candidate(block);
  }

  void note_spilled(BlockNumber block, std::uint32_t at, OobWord w, bool area) {
    const PhysicalUnit place = block * ftl_.blocks_.units_per_block() + at;
    ftl_.zones_[ftl_.layout_.unit(w) / shape_.zone_units()].may_return = true;  // even if no longer needed
    Spilled& newest = spilled_[ftl_.layout_.unit(w)];
    // Of equal copies in a log the older one counts, so that copies begun by an earlier mount can be erased.
    const bool again = newest.version == ftl_.layout_.version(w) + 1 && ftl_.spills_to_log() &&
                       scan_[ftl_.blocks_.block_of(newest.place)].sequence < scan_[block].sequence;
    if (newest.version == 0 || (ftl_.layout_.version(w) + 1 >= newest.version && !again))
      newest = {place, ftl_.layout_.version(w) + 1, area};
  }

  void note_reset(OobWord w) {
    const std::uint32_t zone = ftl_.layout_.unit(w) / shape_.zone_units();
    reset_[zone] = std::max(reset_[zone], ftl_.layout_.version(w) + 1);
  }

  void note_candidate(BlockNumber block) {
    const OobLayout& layout = ftl_.layout_;
    Candidate candidate{.block = block, .sequence = scan_[block].sequence};
    while (candidate.rows < written_rows(block) && readable(block, candidate.rows)) ++candidate.rows;
    std::uint32_t zone = kNoZone;
    std::uint32_t slot = 0;
    for (std::uint32_t at = 0; at < units_ && zone == kNoZone; ++at)
      if (const OobWord w = word(block, 0, at); layout.is_data(w)) {
        zone = layout.unit(w) / shape_.zone_units();
        slot = shape_.slot_of(ftl_.offset_of(layout.unit(w)) / units_);
        candidate.version = layout.version(w) + 1;
      }
    if (zone != kNoZone) return add(zone, slot, candidate);
    // Only padding: belongs to a finished zone.
    const std::uint32_t number = layout.parity_of(word(block, 0, 0));
    if (number != 0 && number <= ftl_.finish_words())
      add((number - 1) / shape_.blocks_per_zone(), (number - 1) % shape_.blocks_per_zone(), candidate);
  }
  void add(std::uint32_t zone, std::uint32_t slot, const Candidate& candidate) {
    candidates_[std::size_t{zone} * shape_.blocks_per_zone() + slot].push_back(candidate);
  }

  // How a program unit continues the zone: number of leading units without a gap, or no match.
  struct Found {
    bool fits = false;
    bool finished = false;
    std::uint32_t units = 0;
    std::uint64_t newest = 0;
  };
  Found match(std::uint32_t zone, std::uint32_t program, BlockNumber block, std::uint64_t newest) const {
    const OobLayout& layout = ftl_.layout_;
    const std::uint32_t row = shape_.row_of(program);
    Found found{.newest = newest};
    if (!readable(block, row)) return found;
    for (std::uint32_t at = 0; at < units_; ++at) {
      const OobWord w = word(block, row, at);
      if (w == ftl_.finish_word(zone, shape_.slot_of(program))) {
        found.fits = found.finished = true;
        return found;
      }
      const bool expected = layout.is_data(w) && layout.unit(w) == ftl_.first_unit(zone) + program * units_ + at;
      if (!expected || layout.version(w) + 1 < found.newest) return found;
      found.newest = layout.version(w) + 1;
      ++found.units;
    }
    found.fits = true;
    return found;
  }

  void resolve(std::uint32_t number, Dirty& dirty) {
    if (ftl_.ended_[number] == Ended::Offline) return ftl_.table_.make_offline(number);
    Zone& zone = ftl_.zones_[number];
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
    zone.generation = first != 0 ? first - 1 : ftl_.newest_version_ + 1;
    first = std::max(first, reset_[number] + 1);
    if (!finished) units = take_spilled(number, program * units_, newest, first);
    for (std::uint32_t slot = 0; slot < zone.blocks.size(); ++slot)
      if (zone.blocks[slot] != kNoBlockNumber && take_over(number, slot) && !finished) dirty.push_back({number, slot});
    ftl_.table_.restore(number, units, finished);
    if (ftl_.ended_[number] == Ended::ReadOnly) ftl_.table_.make_read_only(number);
  }

  // Takes spilled units that follow those at their places. Returns the offset of the write pointer.
  std::uint32_t take_spilled(std::uint32_t number, std::uint32_t offset, std::uint64_t newest, std::uint64_t first) {
    const auto begin = spilled_.lower_bound(ftl_.first_unit(number) + offset);
    const auto end = spilled_.lower_bound(ftl_.first_unit(number) + shape_.capacity_units());
    if (std::any_of(begin, end, [first](const auto& each) { return each.second.area && each.second.version >= first; }))
      return take_area(number, begin, end, first);
    for (auto each = begin; each != end && each->first == ftl_.first_unit(number) + offset; ++each, ++offset) {
      if (each->second.version < newest || each->second.version < first) break;
      newest = each->second.version;
      take(each->first, each->second);
    }
    return offset;
  }

  std::uint32_t take_area(std::uint32_t number, SpilledUnits::const_iterator begin, SpilledUnits::const_iterator end,
                          std::uint64_t first) {
    Zone& zone = ftl_.zones_[number];
    zone.gaps = true;
    std::uint32_t written = 0;
    for (auto each = begin; each != end; ++each) {
      if (each->second.version < first) continue;
      take(each->first, each->second);
      zone.generation = std::min(zone.generation, each->second.version - 1);
      written = ftl_.offset_of(each->first) + 1;
    }
    return written;
  }

  void take(std::uint32_t unit, const Spilled& spilled) {
    ftl_.map_.set(unit, spilled.place);
    ++spilled_valid_[ftl_.blocks_.block_of(spilled.place)];
  }

  // Takes over a slot's erase unit. True if it cannot be programmed further although the zone needs it.
  bool take_over(std::uint32_t number, std::uint32_t slot) {
    const Zone& zone = ftl_.zones_[number];
    const BlockNumber block = zone.blocks[slot];
    const NandGeometry& geometry = ftl_.context_.geometry;
    const std::uint32_t rows = shape_.rows_of(slot, zone.programmed);
    std::uint32_t valid = 0;
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t at = 0; at < units_; ++at) {
        const OobWord w = word(block, row, at);
        if (!ftl_.layout_.is_data(w)) continue;
        ftl_.map_.set(ftl_.layout_.unit(w), block * ftl_.blocks_.units_per_block() + row * units_ + at);
        ++valid;
      }
    const bool clean = scan_[block].pages == rows * geometry.program_pages && !ftl_.blocks_[block].failed;
    restore(block, clean ? rows * geometry.program_pages : geometry.pages, valid);
    return !clean && rows < shape_.programs_per_block();
  }

  void restore(BlockNumber block, std::uint32_t pages, std::uint32_t valid) {
    restore_block(ftl_.context_, ftl_.layout_, scan_, ftl_.blocks_, {.block = block, .pages = pages, .valid = valid});
  }

  // For a block of the spill log: whether older blocks hold all of its data, too.
  bool copies_alone(BlockNumber block) const {
    for (std::uint32_t row = 0; row < written_rows(block); ++row)
      for (std::uint32_t at = 0; at < units_; ++at) {
        const OobWord w = word(block, row, at);
        if (w == ftl_.reset_word()) return false;
        if (!ftl_.layout_.is_data(w)) continue;
        const auto found = spilled_.find(ftl_.layout_.unit(w));
        if (found == spilled_.end() || found->second.version != ftl_.layout_.version(w) + 1 ||
            ftl_.blocks_.block_of(found->second.place) == block)
          return false;
      }
    return true;
  }
  bool in_log(BlockNumber block) const {
    if (!ftl_.spills_to_log()) return spilled_valid_.contains(block);
    return kind_[block] == kSpilled && !copies_alone(block);
  }

  void take_over_spilled() {
    std::vector<BlockNumber> used;
    for (BlockNumber block = 0; block < ftl_.blocks_.size(); ++block)
      if (in_log(block)) used.push_back(block);
    std::sort(used.begin(), used.end(),
              [this](BlockNumber a, BlockNumber b) { return scan_[a].sequence < scan_[b].sequence; });
    for (const BlockNumber block : used) {
      restore(block, ftl_.context_.geometry.pages, spilled_valid_[block]);
      kind_[block] = kTaken;
      ftl_.spill_.push_back(block);
    }
  }

  void take_over_notes() {
    for (BlockNumber block = 0; block < ftl_.blocks_.size(); ++block) {
      if (kind_[block] != kNotes) continue;
      restore(block, ftl_.context_.geometry.pages, 0);
      kind_[block] = kTaken;
      ftl_.notes_.push_back(block);
    }
  }

  void erase_the_rest() {
    std::vector<BlockNumber> to_erase;
    for (BlockNumber block = 0; block < ftl_.blocks_.size(); ++block) {
      if (!scan_[block].used() || kind_[block] == kTaken || ftl_.blocks_[block].state != BlockState::Free) continue;
      ftl_.blocks_[block].erased = false;
      to_erase.push_back(block);
    }
    for (const BlockNumber block : to_erase) {
      ftl_.blocks_.count_erase(block);
      ftl_.eraser_.start(block, Origin::Recovery);
      ftl_.mount_erases_.push_back(ftl_.blocks_.pending_erase(block));
    }
  }

  ZonedFtl& ftl_;
  const BlockScan& scan_;
  const ZoneLayout& shape_;
  std::uint32_t units_;
  std::vector<std::vector<Candidate>> candidates_;  // by zone and slot
  std::vector<std::uint64_t> reset_;                // by zone: 1 + version that its last reset has ended; 0: none
  std::vector<std::uint8_t> kind_;                  // by block
  SpilledUnits spilled_;                            // by unit: its newest version
  std::map<BlockNumber, std::uint32_t> spilled_valid_;
};

Task<void> ZonedFtl::recover() {
  BlockScan scan(context_, blocks_, layout_);
  co_await scan.run();
  mounted_ = scan.report();
  programmer_.numbers().continue_after(scan.newest_sequence());
  mounting_ = true;
  const Resolver::Dirty dirty = Resolver(*this, scan).run();
  for (const auto& [zone, slot] : dirty) co_await rehome(zone, slot, Origin::Recovery);
  // Data not taken over must be erased before any reset, else a later power cut would bring them back. Data that a
  // recorded reset has ended must be erased before the record is.
  if (spills_to_log()) co_await until_erased(mount_erases_);
  co_await empty_spill();
  co_await until_erased(mount_erases_);
  mount_erases_.clear();
  for (std::uint32_t zone = 0; zone < shape_.zones(); ++zone)
    if (zones_[zone].gaps) co_await commit(zone, table_[zone].written);
  if (!notes_.empty()) co_await note_all(Origin::Recovery);
  for (std::uint32_t zone = 0; zone < shape_.zones(); ++zone)
    if (table_[zone].state == ZoneState::ReadOnly && table_[zone].written > pending_from(zones_[zone]))
      co_await finish(zone);
  for (std::uint32_t set = 0; set < shape_.sets(); ++set)
    for (std::uint32_t zone = shape_.zones(); zone-- > 0 && lacks_blocks(set);)
      if (shape_.set_of(zone) == set && table_[zone].state == ZoneState::Empty) co_await take_offline(zone);
  read_only_ = blocks_.spare().worn_down();
  if (read_only_) close_all();
  mounting_ = false;
}

}  // namespace flashloom
