#include "controllers/ftl/zones/zoned_ftl.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

constexpr ProgramInstants kNothingProgrammed;

ZoneTable::Shape table_shape(const ZoneLayout& layout) {
  return {.zones = layout.zones(),
          .zone_size = layout.zone_units(),
          .capacity = layout.capacity_units(),
          .max_open = layout.max_open(),
          .max_active = layout.max_active(),
          .append_limit = 0,
          .random_area = layout.random_units(),
          .random_granule = layout.random_granule(),
          .max_random_areas = layout.max_random_areas()};
}

}  // namespace

ZonedFtl::ZonedFtl(const FtlContext& context)
    : MappedFtl(context),
      shape_(context_.config, context_.geometry, context_.media.endurance().limited()),
      table_(table_shape(shape_)),
      copier_(context_, blocks_, programmer_),
      eraser_(context_, blocks_),
      units_per_program_(context_.geometry.units_per_program()),
      zones_(shape_.zones()),
      notes_ends_(context_.media.endurance().limited()),
      ended_(shape_.zones()) {
  look_up_by_command();
  programmer_.map_by_program();
  blocks_.spare().let_ftl_end_life();  // the FTL takes zones away one by one
  for (Zone& zone : zones_) zone.blocks.assign(shape_.blocks_per_zone(), kNoBlockNumber);
}

std::uint32_t ZonedFtl::waiting_units() const {
  // Zones that are full in the table may still lack their last units. A random write area may hold twice its size
  // before its commit follows.
  return 2 * (shape_.max_active() * (units_per_program_ - 1) + shape_.max_random_areas() * shape_.random_units()) + 1;
}

std::uint32_t ZonedFtl::roomiest_die() const {
  std::uint32_t roomiest = 0;
  for (std::uint32_t die = 1; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) > blocks_.free().of_die(roomiest)) roomiest = die;
  return roomiest;
}

Task<BlockNumber> ZonedFtl::open_anywhere() { return open_on(blocks_.free().bank_of_most_room(roomiest_die())); }

// Uses the wanted die; at the end of the device's life, any die with a free block.
Task<BlockNumber> ZonedFtl::open_on(std::uint32_t wanted) {
  std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  if (blocks_.free().of_die(blocks_.die_of_bank(bank)) == 0) bank = blocks_.free().bank_of_most_room(roomiest_die());
  const std::uint32_t die = blocks_.die_of_bank(bank);
  if (blocks_.free().of_die(die) == 0) {
    end_life();
    co_return kNoBlockNumber;
  }
  while (WaitList* const list = blocks_.waits().before_opening(blocks_.next_free(bank))) co_await list->wait();
  const BlockNumber block = blocks_.open(bank);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

OobWord ZonedFtl::word_of(PhysicalUnit place) const {
  const BlockNumber block = blocks_.block_of(place);
  const std::uint32_t at = blocks_.offset_in_block(place, block);
  const BlockInfo& info = blocks_[block];
  return info.pending != nullptr ? info.pending->oob[at] : context_.media.oob(blocks_.address(block, 0), at);
}

void ZonedFtl::place(ProgramJob& job, WriteUnit& unit) {
  const PhysicalUnit old = map_.get(unit.unit);
  const PhysicalUnit place = programmer_.jobs().place_host(job, unit, old);
  if (old != kNoPhysicalUnit) blocks_.invalidate(old, age());
  map_.set(unit.unit, place);
  blocks_.validate(place);
}

void ZonedFtl::copy(ProgramJob& job, std::uint32_t unit) { copy_as(job, unit, word_of(map_.get(unit))); }

void ZonedFtl::copy_as(ProgramJob& job, std::uint32_t unit, OobWord word) {
  const PhysicalUnit from = map_.get(unit);
  const PhysicalUnit place = programmer_.jobs().place_copy(job, word, from);
  blocks_.invalidate(from, age());
  map_.set(unit, place);
  blocks_.validate(place);
}

void ZonedFtl::place_home(ProgramJob& job, WriteUnit& unit, const Zone& zone) {
  if (zone.gaps) unit.version = zone.generation;
  place(job, unit);
}

void ZonedFtl::copy_home(ProgramJob& job, std::uint32_t unit, const Zone& zone) {
  if (!zone.gaps) return copy(job, unit);
  const OobWord word = layout_.encode(unit, zone.generation);
  copy_as(job, unit, OobLayout::lost(word_of(map_.get(unit))) ? OobLayout::as_lost(word) : word);
}

void ZonedFtl::zero_home(ProgramJob& job, std::uint32_t unit, const Zone& zone) {
  const PhysicalUnit place =
      job.block * blocks_.units_per_block() + job.first_page * context_.geometry.units_per_page + job.filled;
  programmer_.jobs().place_gap(job, layout_.encode(unit, zone.generation));
  map_.set(unit, place);
  blocks_.validate(place);
}

void ZonedFtl::launch(ProgramJob& job) {
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
}

Task<void> ZonedFtl::write(WriteUnit& unit) {
  const std::uint32_t number = unit.unit / shape_.zone_units();
  Zone& zone = zones_[number];
  const std::uint32_t offset = offset_of(unit.unit);
  const std::uint32_t from = pending_from(zone);
  newest_version_ = std::max(newest_version_, unit.version);
  if (out_of_room_) {
    unit.refused = true;
    return Task<void>::over();
  }
  ++statistics_.units_written;
  ++statistics_.streams[0].units_written;
  if (offset < from) throw std::logic_error("a zone gets a unit that it has programmed");
  const std::uint32_t at = offset - from;
  if (zone.waiting.size() <= at) zone.waiting.resize(at + 1);
  if (WriteUnit* const older = zone.waiting[at]) older->listener->on_durable(*older, kNothingProgrammed);
  zone.waiting[at] = &unit;
  if (zone.area) return Task<void>::over();  // until its commit
  // Without a random write area, units arrive in order.
  if (at != 0 && zone.waiting[at - 1] == nullptr && map_.get(unit.unit - 1) == kNoPhysicalUnit) {
    throw std::logic_error("a zone gets its units in another order than that of the writes");
  }
  return at + 1 == units_per_program_ ? program_next(number) : Task<void>::over();
}

// Programs the next program unit of a zone at its place.
Task<void> ZonedFtl::program_next(std::uint32_t number, std::uint32_t data_end) {
  Zone& zone = zones_[number];
  const std::uint32_t program = zone.programmed;
  const BlockNumber& block = zone.blocks[shape_.slot_of(program)];
  const std::uint32_t bad = blocks_.spare().bad_blocks();
  if (!zone.given_up.empty()) erase_given_up(zone);
  // One padding program unit marks a finish; the ones after it are optional.
  if (data_end != kNoEnd && program > data_end / units_per_program_) {
    const bool padded = co_await pad_program(number, shape_.slot_of(program));
    ++zone.programmed;
    if (padded && blocks_.spare().bad_blocks() != bad) co_await face_losses(number);
    co_return;
  }
  if (block == kNoBlockNumber || blocks_.failures().possible()) {
    const bool goes_on = co_await prepare(number, shape_.slot_of(program));
    if (!goes_on) co_return refuse_last(zone);
  }
  const std::uint32_t first = first_unit(number) + program * units_per_program_;
  const auto there = [&](std::uint32_t at) {
    return (at < zone.waiting.size() && zone.waiting[at] != nullptr) || map_.get(first + at) != kNoPhysicalUnit;
  };
  bool any = false;
  for (std::uint32_t at = 0; at < units_per_program_; ++at) any = any || there(at);
  ProgramJob& job = programmer_.jobs().begin(block, any ? Origin::Host : Origin::Padding);
  carry(job);
  for (std::uint32_t at = 0; at < units_per_program_; ++at) {
    WriteUnit* const unit = at < zone.waiting.size() ? zone.waiting[at] : nullptr;
    if (unit != nullptr) {
      place_home(job, *unit, zone);
    } else if (there(at)) {
      ++costs_.unspilled_units;
      ++statistics_.units_moved;
      copy_home(job, first + at, zone);
    } else if (program * units_per_program_ + at >= data_end) {
      pad_unit(job, number, shape_.slot_of(program));
    } else {
      zero_home(job, first + at, zone);
      ++costs_.holes;
      count_padded(1);
    }
  }
  zone.waiting.erase(zone.waiting.begin(),
                     zone.waiting.begin() + std::min<std::ptrdiff_t>(units_per_program_, std::ssize(zone.waiting)));
  ++zone.programmed;
  launch(job);
  let_go();
  release_spilled();
  if (blocks_.spare().bad_blocks() != bad) co_await face_losses(number);
}

// Spills the units that a flush finds waiting.
Task<void> ZonedFtl::seal() {
  if (spills_to_log()) co_await before_areas();
  co_await spill(false);
  if (spills_to_log()) co_await spill(true);
}

Task<void> ZonedFtl::come_to_rest() {
  co_await seal();
  co_await programmer_.jobs().all_done();
}

Task<void> ZonedFtl::finish(std::uint32_t number) {
  Zone& zone = zones_[number];
  // Data in a random write area beyond the write pointer are programmed, too.
  std::uint32_t end = pending_from(zone) + static_cast<std::uint32_t>(zone.waiting.size());
  for (std::uint32_t offset = end; offset < shape_.capacity_units() && offset < end + 2 * shape_.random_units();
       ++offset)
    if (map_.get(first_unit(number) + offset) != kNoPhysicalUnit) end = offset + 1;
  // At least one unit of padding tells a mount that the zone is full.
  const std::uint32_t all = shape_.programs_per_zone();
  const bool goes_on = table_[number].state != ZoneState::ReadOnly;
  const std::uint32_t programs = goes_on && shape_.pads_at_once() ? all : std::min(end / units_per_program_ + 1, all);
  while (zone.programmed < programs && !out_of_room_) co_await program_next(number, end);
  zone.area = false;
  zone.padding = goes_on && shape_.pads_behind();
}

void ZonedFtl::give_area(std::uint32_t number) { zones_[number].area = zones_[number].gaps = true; }

Task<void> ZonedFtl::commit(std::uint32_t number, std::uint32_t end) {
  Zone& zone = zones_[number];
  while (pending_from(zone) + units_per_program_ <= end && !out_of_room_) co_await program_next(number);
  zone.area = zone.area && end != shape_.capacity_units();
}

Task<void> ZonedFtl::settled(std::uint32_t number) {
  Zone& zone = zones_[number];
  for (std::uint32_t slot = 0; slot < zone.blocks.size(); ++slot)
    while (zone.blocks[slot] != kNoBlockNumber &&
           blocks_[zone.blocks[slot]].durable != blocks_[zone.blocks[slot]].allocated)
      co_await blocks_.waits().events(blocks_.die_of(zone.blocks[slot])).durable.wait();
  co_await until_erased(zone.erasing);
}

Task<void> ZonedFtl::until_erased(const std::vector<PendingErase>& erases) {
  for (std::size_t i = 0; i < erases.size(); ++i) {
    const PendingErase erase = erases[i];
    while (WaitList* const list = before_erased(erase)) co_await list->wait();
  }
}

// What to wait for until that erase is done; null if it is.
WaitList* ZonedFtl::before_erased(PendingErase erase) {
  const bool under_way = !blocks_[erase.block].erased && blocks_.pending_erase(erase.block) == erase;
  return under_way ? &blocks_.waits().events(blocks_.die_of(erase.block)).erased : nullptr;
}

void ZonedFtl::give_back(BlockNumber block, Origin origin) {
  programmer_.exposed().give_up(block);
  blocks_.release(block);
  blocks_.count_erase(block);
  eraser_.start(block, origin);
}

void ZonedFtl::erase_given_up(Zone& zone) {
  for (const BlockNumber block : zone.given_up) {
    give_back(block, Origin::Host);
    zone.erasing.push_back(blocks_.pending_erase(block));
    ++costs_.blocks_erased;
  }
  zone.given_up.clear();
  zone.reset_unsafe = false;
}

void ZonedFtl::unmap(std::uint32_t unit) {
  const PhysicalUnit place = map_.get(unit);
  if (place == kNoPhysicalUnit) return;
  blocks_.invalidate(place, age());
  map_.clear(unit);
  ++statistics_.units_trimmed;
}

// Trims are resets of whole zones.
Task<void> ZonedFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  newest_version_ = std::max(newest_version_, version);
  for (std::uint32_t number = first / shape_.zone_units(); first_unit(number) < first + count; ++number)
    co_await reset(number, version);
}

Task<void> ZonedFtl::reset(std::uint32_t number, std::uint64_t version) {
  Zone& zone = zones_[number];
  const Picoseconds written = co_await context_.hardware.map_write(1, first_unit(number));
  co_await context_.hardware.cpu(FirmwareStep::MapUpdate, 1, written, first_unit(number));
  for (WriteUnit* const unit : zone.waiting)
    if (unit != nullptr) unit->listener->on_durable(*unit, kNothingProgrammed);
  zone.waiting.clear();
  bool data = false;
  const std::uint32_t end = first_unit(number) + shape_.capacity_units();
  for (std::uint32_t unit = first_unit(number); unit < end; ++unit) {
    data = data || map_.get(unit) != kNoPhysicalUnit;
    unmap(unit);
  }
  zone.programmed = 0;
  zone.padding = false;
  zone.area = zone.gaps = false;
  zone.generation = version + 1;
  release_spilled();
  // Data from before the previous reset must be erased first: else a power cut would bring them back.
  co_await until_erased(zone.erasing);
  if (spills_to_log() && std::exchange(zone.may_return, false)) co_await note_reset(number, version);
  zone.erasing.clear();
  for (BlockNumber& block : zone.blocks)
    if (const BlockNumber old = std::exchange(block, kNoBlockNumber); old != kNoBlockNumber)
      zone.given_up.push_back(old);
  // Padding alone does not show to which generation it belongs.
  zone.reset_unsafe = !zone.given_up.empty();
  const bool offline = table_[number].state == ZoneState::Offline;
  if (offline) co_await note_end(number, Ended::Offline);
  if (!shape_.erases_later() || !data || offline) erase_given_up(zone);
  if (offline) co_await note_end(number, Ended::Offline);  // there may have been no erase unit for the record before
  if (!spills_to_log()) stale_spill_ = stale_spill_ || std::exchange(zone.may_return, false);
  if ((zone.reset_unsafe || stale_spill_) && resets_at_once_) co_await persist_trims();
  co_await face_losses(number);
}

// A zone whose first erase unit is erased counts as empty, whatever the other erase units hold.
Task<void> ZonedFtl::persist_trims() {
  if (stale_spill_) co_await empty_spill();
  // Nobody waits for units committed without having been written, so wait for their programs here.
  if (std::any_of(zones_.begin(), zones_.end(), [](const Zone& zone) { return zone.gaps; }))
    co_await programmer_.jobs().all_done();
  if (!shape_.erases_later()) co_return;
  for (std::uint32_t number = 0; number < zones_.size(); ++number) {
    Zone& zone = zones_[number];
    if (!zone.reset_unsafe) continue;
    zone.reset_unsafe = false;
    const BlockNumber block = zone.given_up.front();
    zone.given_up.erase(zone.given_up.begin());
    give_back(block, Origin::Host);
    zone.erasing.push_back(blocks_.pending_erase(block));
    ++costs_.blocks_erased;
  }
  for (std::uint32_t number = 0; number < zones_.size(); ++number)
    if (!zones_[number].erasing.empty()) co_await settled(number);
}

void ZonedFtl::state(StateArchive& archive, FrontBuffer& front) {
  archive.part("zoned");
  archive(map_, blocks_, statistics_, newest_version_);
  table_.state(archive);
  costs_.each([&archive](auto&... counts) { archive(counts...); });
  programmer_.state(archive, front);
  for (Zone& zone : zones_) {
    constexpr std::uint32_t kNothing = ~std::uint32_t{0};
    std::vector<std::uint32_t> slots;
    for (const WriteUnit* const unit : zone.waiting) slots.push_back(unit == nullptr ? kNothing : unit->owner_slot);
    archive(zone.blocks, zone.given_up, zone.programmed, slots, zone.reset_unsafe, zone.may_return);
    if (spills_to_log()) archive(zone.area, zone.gaps, zone.generation);
    if (!archive.loading()) continue;
    zone.waiting.clear();
    for (const std::uint32_t slot : slots) zone.waiting.push_back(slot == kNothing ? nullptr : &front.write_unit(slot));
  }
  std::vector<BlockNumber> spill(spill_.begin(), spill_.end());
  archive(spill, stale_spill_);
  if (notes_ends_) archive(ended_, notes_);
  if (archive.loading()) spill_.assign(spill.begin(), spill.end());
}

void ZonedFtl::check() const {
  MappedFtl::check();
  for (std::uint32_t number = 0; number < zones_.size(); ++number) {
    const Zone& zone = zones_[number];
    const std::uint32_t programmed = pending_from(zone);
    for (std::uint32_t offset = 0; offset < shape_.zone_units(); ++offset) {
      const PhysicalUnit place = map_.get(first_unit(number) + offset);
      if (place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      const std::uint32_t program = offset / units_per_program_;
      const bool at_home = zone.blocks[shape_.slot_of(program)] == block &&
                           blocks_.offset_in_block(place, block) ==
                               shape_.row_of(program) * units_per_program_ + offset % units_per_program_;
      const bool spilled = std::find(spill_.begin(), spill_.end(), block) != spill_.end();
      if (offset < programmed ? !at_home : !spilled)
        throw std::logic_error("unit " + std::to_string(offset) + " of zone " + std::to_string(number) +
                               " does not lie at its place");
    }
  }
}

}  // namespace flashloom
