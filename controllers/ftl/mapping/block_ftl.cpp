#include "controllers/ftl/mapping/block_ftl.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

BlockFtl::BlockFtl(const FtlContext& context, std::uint32_t open_programs, std::uint32_t least_extras)
    : MappedFtl(context),
      units_(context.geometry.units_per_block()),
      checkpoints_(checkpoints_of(context.config)),
      space_(context.geometry, context.logical_units, blocks_.spare().failure_reserve() != 0, checkpoints_),
      units_per_program_(context.geometry.units_per_program()),
      open_programs_(open_programs),
      data_((context.logical_units + units_.value() - 1) / units_.value(), kNoBlockNumber),
      tombstones_(context.logical_units),
      keeper_(context_, blocks_, layout_, map_, *this, checkpoints_ ? nullptr : &tombstones_),
      copier_(context_, blocks_, programmer_),
      eraser_(context_, blocks_) {
  std::vector<std::uint32_t> may_lose;
  for (std::uint32_t die = 0; die < context.geometry.dies; ++die)
    may_lose.push_back(space_.may_lose(die, least_extras));
  blocks_.spare().limit_losses(std::move(may_lose));
  wears_.resize(context.geometry.dies);
  moves_cold_ = blocks_.policies().leveling(0).moves();
  if (keeper_.method().journals()) programmer_.attach(keeper_);
  if (!keeper_.method().in_nvram()) return;
  nvram_map_ = std::make_unique<NvramBlockMap>(context_);
  eraser_.attach(*nvram_map_);
  unsettled_.resize(data_.size());
}

std::uint32_t BlockFtl::bank_of(LogicalBlock logical) const {
  const std::uint32_t planes = blocks_.banks_per_die();
  return die_of(logical) * planes + logical / context_.geometry.dies % planes;
}

OobWord BlockFtl::word_of(BlockNumber block, std::uint32_t position) const {
  const BlockInfo& info = blocks_[block];
  return info.pending != nullptr ? info.pending->oob[position]
                                 : context_.media.oob(blocks_.address(block, 0), position);
}

Task<BlockNumber> BlockFtl::open(LogicalBlock logical, NvramBlockMap::Use use, FreeUse wear) {
  if (nvram_map_ != nullptr) co_await until_settled(logical);
  const BlockNumber block = co_await open_on(bank_of(logical), wear);
  if (nvram_map_ != nullptr) co_await nvram_map_->open(block, logical, data_[logical], use);
  if (!context_.geometry.in_order_program) blocks_.programs().write_in_any_order(block);
  co_return block;
}

Task<BlockNumber> BlockFtl::open_on(std::uint32_t wanted, FreeUse wear) {
  const std::uint32_t die = blocks_.die_of_bank(wanted);
  if (blocks_.free().of_die(die) == 0) throw std::logic_error("a die has no free block left for a merge");
  const std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  const BlockNumber next = blocks_.next_free(bank, wear);
  while (!blocks_[next].erased && !exposed_.empty()) close_word_lines(exposed_.front());
  while (!blocks_[next].erased) co_await blocks_.waits().events(die).erased.wait();
  const BlockNumber block = blocks_.open(bank, wear);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

BlockFtl::OpenJob* BlockFtl::open_job(BlockNumber block) {
  for (OpenJob& open : jobs_)
    if (open.job->block == block) return &open;
  return nullptr;
}

std::uint32_t BlockFtl::next_position(BlockNumber block) const {
  const std::uint32_t units = context_.geometry.units_per_page;
  if (const OpenJob* const open = open_job(block)) return open->job->first_page * units + open->job->filled;
  return blocks_[block].allocated * units;
}

bool BlockFtl::can_place(BlockNumber block, std::uint32_t position) const {
  const BlockInfo& info = blocks_[block];
  if (!info.any_order) return position == next_position(block) && position < units_per_block();
  if (info.pending == nullptr) return false;
  const std::uint32_t first = position - position % units_per_program_;
  if (info.pending->oob[first] == 0) return true;  // its program unit has not been given out
  const OpenJob* const open = open_job(block);
  return open != nullptr && open->job->first_page * context_.geometry.units_per_page == first &&
         position >= first + open->job->filled;
}

bool BlockFtl::can_place(BlockNumber block, std::uint32_t position, std::uint32_t count) const {
  if (!blocks_[block].any_order) return can_place(block, position);
  for (std::uint32_t end = position + count; position != end; ++position)
    if (!can_place(block, position)) return false;
  return true;
}

bool BlockFtl::write_merges(std::uint32_t first, std::uint32_t count) const {
  if (worn_down()) return false;
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{first} + count, map_.size()));
  for (std::uint32_t next = 0; first < end; first = next) {
    next = std::min(end, first + units_per_block() - offset_of(first));
    if (merges_for(block_of_unit(first), offset_of(first), next - first)) return true;
  }
  return false;
}

ProgramJob& BlockFtl::job_at(BlockNumber block, std::uint32_t position, Origin origin) {
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

void BlockFtl::gap(ProgramJob& job) {
  programmer_.jobs().place_gap(job, layout_.padding());
  ++statistics_.units_padded;
  ++statistics_.streams[0].units_padded;
}

void BlockFtl::place_host(BlockNumber block, std::uint32_t position, WriteUnit& unit) {
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

void BlockFtl::place_copy(BlockNumber block, std::uint32_t position, std::uint32_t unit) {
  const PhysicalUnit from = map_.get(unit);
  const BlockNumber source = blocks_.block_of(from);
  const std::uint32_t at = blocks_.offset_in_block(from, source);
  // Programs a unit whose program unit is still being filled: else its copy would wait for further writes.
  const OpenJob* const open = open_job(source);
  if (open != nullptr && at - open->job->first_page * context_.geometry.units_per_page < units_per_program_)
    seal(source);
  const OobWord word = word_of(source, at);
  ProgramJob& job = job_at(block, position, copies_for_);
  const PhysicalUnit place = programmer_.jobs().place_copy(job, word, from);
  blocks_.invalidate(from, age());
  map_.set(unit, place);
  blocks_.validate(place);
  ++(copies_for_ == Origin::Wear ? statistics_.units_leveled : statistics_.units_moved);
  placed(job);
}

void BlockFtl::placed(ProgramJob& job) {
  if (programmer_.jobs().full(job)) launch(job);
}

void BlockFtl::launch(ProgramJob& job) {
  const BlockNumber block = job.block;
  jobs_.erase(std::find_if(jobs_.begin(), jobs_.end(), [&job](const OpenJob& open) { return open.job == &job; }));
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
  note_exposed(block);
  holds_data(block);
}

// Makes the block a candidate for wear levelling, full or not: the last logical block may end within its block, and
// others may also stay partly written.
void BlockFtl::holds_data(BlockNumber block) {
  if (moves_cold_) blocks_.policies().leveling(blocks_.die_of(block)).closed(block % context_.geometry.blocks);
}

void BlockFtl::note_exposed(BlockNumber block) {
  if (programmer_.exposed().word_lines().independent()) return;
  std::erase(exposed_, block);
  if (programmer_.exposed().in(block)) exposed_.push_back(block);
}

// Pads the block until no word line that holds data is partly programmed.
void BlockFtl::close_word_lines(BlockNumber block) {
  if (open_job(block) != nullptr) seal(block);
  std::erase(exposed_, block);
  while (programmer_.exposed().in(block)) {
    ProgramJob& job = programmer_.jobs().begin_padding(block, Origin::Host);
    const std::uint32_t padded = programmer_.jobs().pad(job);
    statistics_.units_padded += padded;
    statistics_.streams[0].units_padded += padded;
    programmer_.program(job);
  }
}

void BlockFtl::seal(BlockNumber block) {
  ProgramJob& job = *open_job(block)->job;
  const Origin copies = std::exchange(copies_for_, Origin::Merge);  // whichever block this is
  complete(job);
  copies_for_ = copies;
  if (open_job(block) == nullptr) return;  // complete() filled the program unit, which is in flight
  const std::uint32_t padded = programmer_.jobs().pad(job);
  statistics_.units_padded += padded;
  statistics_.streams[0].units_padded += padded;
  launch(job);
}

Task<void> BlockFtl::seal() {
  while (!jobs_.empty()) seal(jobs_.front().job->block);
  while (!exposed_.empty()) close_word_lines(exposed_.front());
  co_return;
}

std::uint32_t BlockFtl::end_of_copy(LogicalBlock logical) const {
  std::uint32_t end = units_per_block();
  while (end != 0 && place_of(logical, end - 1) == kNoPhysicalUnit) --end;
  return end;
}

void BlockFtl::copy_range(LogicalBlock logical, BlockNumber block, std::uint32_t from, std::uint32_t to) {
  const auto wanted = [&](std::uint32_t offset) { return place_of(logical, offset) != kNoPhysicalUnit; };
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
    const PhysicalUnit place = place_of(logical, offset);
    if (lies_in(place, block) || !can_place(block, offset)) continue;
    if (place != kNoPhysicalUnit) {
      place_copy(block, offset, first_unit(logical) + offset);
      continue;
    }
    ProgramJob& job = job_at(block, offset, copies_for_);
    gap(job);
    placed(job);
  }
}

bool BlockFtl::can_become_data(LogicalBlock logical, BlockNumber block) const {
  const std::uint32_t next = next_position(block);
  for (std::uint32_t offset = 0; offset < units_per_block(); ++offset) {
    const PhysicalUnit place = place_of(logical, offset);
    if (place == kNoPhysicalUnit) continue;
    const bool fits = lies_in(place, block) ? place == block * units_per_block() + offset
                      : any_order()         ? can_place(block, offset)
                                            : offset >= next;
    if (!fits) return false;
  }
  return true;
}

bool BlockFtl::become_data(LogicalBlock logical, BlockNumber block) {
  const bool full = next_position(block) == units_per_block();
  const BlockNumber data = data_[logical];
  const std::uint32_t end = end_of_copy(logical);
  bool all_there = true;
  for (std::uint32_t offset = 0; offset < end && all_there; ++offset) {
    const PhysicalUnit place = place_of(logical, offset);
    all_there = place == kNoPhysicalUnit || lies_in(place, block);
  }
  if (!all_there) {
    // Copy units of the program unit being filled first: else it would be padded.
    if (open_job(block) != nullptr) {
      const std::uint32_t next = next_position(block);
      copy_range(logical, block, next, std::min(end, next - next % units_per_program_ + units_per_program_));
    }
    copy_range(logical, block, any_order() ? 0 : next_position(block), end);
  }
  data_[logical] = block;
  if (data != kNoBlockNumber) release(data);
  if (nvram_map_ != nullptr) settle(logical, block);
  return full;
}

Task<void> BlockFtl::merge_all(LogicalBlock logical, const std::vector<BlockNumber>& sources, bool last_stays) {
  ++statistics_.merges.full;
  const std::uint32_t end = end_of_copy(logical);
  BlockNumber target = kNoBlockNumber;
  if (end != 0) {
    target = co_await open(logical, NvramBlockMap::Use::Copies);
    copy_range(logical, target, 0, end);
  }
  data_[logical] = target;
  for (std::size_t i = 0; i + (last_stays ? 1 : 0) < sources.size(); ++i) release(sources[i]);
  if (nvram_map_ != nullptr) settle(logical, target);
}

void BlockFtl::give_up(LogicalBlock logical, BlockNumber block) {
  release(block);
  if (nvram_map_ != nullptr) settle(logical, kNoBlockNumber);
}

void BlockFtl::release(BlockNumber block) {
  if (blocks_[block].valid != 0) throw std::logic_error("a block with valid units is given up");
  // Program units that copy out of the block, or hold newer versions of its units, must be in flight to flash, and safe
  // there without further data: else the block could never be erased.
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
  programmer_.exposed().give_up(block);
  give_back(block, copies_for_);
}

void BlockFtl::give_back(BlockNumber block, Origin origin) {
  if (moves_cold_) {
    blocks_.policies().leveling(blocks_.die_of(block)).removed(block % context_.geometry.blocks);
    wears_[blocks_.die_of(block)] = 1;
  }
  blocks_.release(block);
  blocks_.count_erase(block);
  if (nvram_map_ != nullptr) {  // the block must not be erased before the map in NVRAM no longer refers to it
    ++blocks_[block].copies_pending;
    given_up_.push_back(block);
  }
  eraser_.start(block, origin);
  read_only_ = worn_down();
}

LogicalBlock BlockFtl::logical_of_data(BlockNumber block) const {
  for (LogicalBlock logical = blocks_.die_of(block); logical < data_.size(); logical += context_.geometry.dies)
    if (data_[logical] == block) return logical;
  return kNoLogicalBlock;
}

Task<void> BlockFtl::do_duties(LogicalBlock logical) {
  if (keeper_.paces()) co_await keeper_.before_write();
  if (wears_[die_of(logical)] != 0) co_await level_wear(die_of(logical));
}

Task<void> BlockFtl::come_to_rest() {
  co_await seal();
  co_await programmer_.jobs().all_done();
}

// A merge with nothing to merge. A block that is not moved becomes a candidate again when it is next programmed.
Task<void> BlockFtl::level_wear(std::uint32_t die) {
  wears_[die] = 0;
  if (worn_down() || blocks_.free().of_die(die) < space_.reserve()) co_return;
  WearLevelingPolicy& leveling = blocks_.policies().leveling(die);
  const std::uint32_t number = leveling.to_move();
  if (number == kNoBlock) co_return;
  leveling.removed(number);
  const BlockNumber block = die * context_.geometry.blocks + number;
  const LogicalBlock logical = logical_of_data(block);
  if (logical == kNoLogicalBlock || being_rewritten(logical)) co_return;
  co_await before_release();
  const std::uint32_t end = end_of_copy(logical);
  if (end == 0) co_return;
  const BlockNumber target = co_await open(logical, NvramBlockMap::Use::Copies, FreeUse::Cold);
  copies_for_ = Origin::Wear;
  copy_range(logical, target, 0, end);
  data_[logical] = target;
  release(block);
  copies_for_ = Origin::Merge;
  ++statistics_.wear_moves;
  if (nvram_map_ != nullptr) settle(logical, target);
}

Task<void> BlockFtl::before_release() {
  if (keeper_.trims_pending() && !fault(Fault::EraseBeforeTrim)) co_await keeper_.persist_trims();
}

Task<void> BlockFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  if (nvram_map_ != nullptr)
    co_await trim_in_nvram(first, count);
  else if (const bool recorded = co_await keeper_.trim(first, count, version); !recorded)
    out_of_room_ = true;
  newest_version_ = std::max(newest_version_, version);
  co_await MappedFtl::trim(first, count, version);
}

Task<void> BlockFtl::make_room(std::uint32_t die, std::uint32_t most) {
  while (!worn_down() && used_blocks(die) >= std::min(most, extra_blocks(die))) co_await give_up_one(die);
}

std::uint32_t BlockFtl::roomiest_die() const {
  std::uint32_t best = 0;
  for (std::uint32_t die = 1; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) > blocks_.free().of_die(best)) best = die;
  return best;
}

// Fills the blocks that a mount has left partly written, then free ones.
Task<void> BlockFtl::write_last(WriteUnit& unit) {
  for (const BlockNumber block : last_)
    for (std::uint32_t at = any_order() ? 0 : next_position(block); at < units_per_block(); ++at)
      if (can_place(block, at)) co_return place_host(block, at, unit);
  const std::uint32_t die = roomiest_die();
  if (blocks_.free().of_die(die) == 0) {
    unit.refused = out_of_room_ = true;
    co_return;
  }
  const BlockNumber block = co_await open_on(blocks_.free().bank_of_most_room(die));
  if (nvram_map_ != nullptr) co_await nvram_map_->open(block, kNoLogicalBlock, kNoBlockNumber, NvramBlockMap::Use::Any);
  if (any_order()) blocks_.programs().write_in_any_order(block);
  last_.push_back(block);
  place_host(block, 0, unit);
}

// From the die with the fewest log blocks, after the FTL has made room there; on a worn-down device, from any die.
Task<BlockNumber> BlockFtl::take_block() {
  std::uint32_t die = 0;
  for (std::uint32_t other = 1; other < context_.geometry.dies; ++other)
    if (keeper_.log().blocks_on(other) < keeper_.log().blocks_on(die)) die = other;
  co_await make_room(die);
  if (worn_down()) die = roomiest_die();
  if (worn_down() && blocks_.free().of_die(die) == 0) co_return kNoBlockNumber;
  const BlockNumber block = co_await open_on(blocks_.free().bank_of_most_room(die));
  blocks_.dedicate(block);
  co_return block;
}

void BlockFtl::return_block(BlockNumber block) { give_back(block, Origin::Map); }

void BlockFtl::state(StateArchive& archive, FrontBuffer& front) {
  archive.part("block FTL");
  archive(map_, blocks_, statistics_, newest_version_, data_, touches_, exposed_, tombstones_, last_, read_only_,
          out_of_room_);
  programmer_.state(archive, front);
  auto jobs = static_cast<std::uint32_t>(jobs_.size());
  archive(jobs);
  if (archive.loading()) jobs_.resize(jobs);
  for (OpenJob& open : jobs_) {
    archive(open.touched);
    programmer_.jobs().job_state(archive, open.job, front);
  }
  own_state(archive);
  if (moves_cold_) archive(wears_);
  archive.part("map keeper");
  keeper_.state(archive);
}

void BlockFtl::check() const {
  MappedFtl::check();
  for (LogicalBlock logical = 0; logical < logical_blocks(); ++logical)
    for (std::uint32_t offset = 0; offset < units_per_block(); ++offset) {
      const PhysicalUnit place = place_of(logical, offset);
      if (place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      const bool last = std::find(last_.begin(), last_.end(), block) != last_.end();
      if (block == data_[logical] ? blocks_.offset_in_block(place, block) != offset
                                  : !last && !may_hold(block, logical))
        throw std::logic_error("unit " + std::to_string(first_unit(logical) + offset) + " lies in block " +
                               std::to_string(block) + ", where no unit of its logical block may lie");
    }
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].state == BlockState::Free && blocks_[block].valid != 0)
      throw std::logic_error("free block " + std::to_string(block) + " holds valid units");
}

}  // namespace flashloom
