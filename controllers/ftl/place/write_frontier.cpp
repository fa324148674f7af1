#include "controllers/ftl/place/write_frontier.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/reclaim_handles.hpp"
#include "controllers/ftl/recovery/log_apart.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {
namespace {

// Empty unless the dies are too small for an equal share of the logical space on each.
std::vector<std::uint64_t> room_of_banks(const NandGeometry& geometry, const BlockTable& blocks) {
  std::vector<std::uint64_t> room;
  if (!blocks.free().keeps_for_log()) return room;
  for (std::uint32_t bank = 0; bank < blocks.banks(); ++bank)
    room.push_back(most_units_of_die(geometry, blocks.free().blocks_for_data(blocks.die_of_bank(bank))));
  return room;
}

PlacementContext placement_context(const NandGeometry& geometry, const BlockTable& blocks, std::uint32_t streams) {
  return {.channels = geometry.channels,
          .ways = geometry.ways,
          .dies_per_way = geometry.dies_per_way,
          .planes = geometry.planes_apart(),
          .streams = streams,
          .units_per_program = geometry.whole_units_per_program(),
          .room = room_of_banks(geometry, blocks)};
}

}  // namespace

WriteFrontier::WriteFrontier(const FtlContext& context, BlockTable& blocks, Programmer& programmer,
                             Collector& collector, FtlStatistics& statistics, bool map_stream)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      collector_(collector),
      statistics_(statistics),
      stream_policy_(make_streams(context.config, {.logical_units = context.logical_units})),
      placement_(make_placement(context.config, placement_context(context.geometry, blocks,
                                                                  stream_policy_->count() + 1 + (map_stream ? 1 : 0)))),
      copier_(context, blocks, programmer),
      host_streams_(flashloom::host_streams(context.config)),
      sets_apart_(host_streams_ != stream_policy_->count()),
      gc_apart_(stream_policy_->gc_apart()),
      open_(std::size_t{host_streams_ + (map_stream ? 1U : 0U)} * blocks.banks(), kNoBlockNumber),
      slc_open_(context.geometry.any_slc() ? std::size_t{host_streams_} * blocks.banks() : 0, kNoBlockNumber),
      jobs_(host_streams_ + (map_stream ? 1 : 0)),
      failures_(jobs_.size()),
      full_(blocks.banks()),
      may_be_full_(!blocks.one_by_one()),
      reclaim_units_(context.config.fdp.on() ? host_streams_ : 0),
      limits_time_(context.config.fdp.on() && context.config.fdp.unit_time_limit != 0),
      one_stream_(host_streams_ == 1 && !limits_time_) {
  if (!gc_apart_) collector_.share_blocks(open_);
  collector_.separate(streams(), *this);
  if (programmer_.exposes()) collector_.close_by(*this);
}

std::vector<std::string> WriteFrontier::stream_names() const {
  std::vector<std::string> names;
  for (std::uint32_t stream = 0; stream < stream_policy_->count(); ++stream)
    names.push_back(stream_policy_->name(stream));
  if (sets_apart_) names.emplace_back("sets");
  return names;
}

// Free erase units that a die must have before a program unit is begun in `open`.
std::uint32_t WriteFrontier::free_blocks_wanted(BlockNumber open) const {
  const bool none = open == kNoBlockNumber;
  if (blocks_.spare().worn_down()) return none ? 1 : 0;  // no collection any more
  // If GC copies into the same blocks, it may have taken the last free one for a victim, and needs all of it.
  if (none) return kGcReserve + 1 + blocks_.spare().failure_reserve();
  return gc_apart_ ? 0 : kGcReserve + blocks_.spare().failure_reserve();
}

WriteFrontier::Opening WriteFrontier::begin_opening(const PlacementRequest& request) {
  if (full_count_ != 0) return {};
  const std::uint32_t stream = asking_ = request.stream;
  Opening opening;
  if (blocks_.failures().any_dead()) [[unlikely]]
    return opening;  // open() knows where there is no room
  opening.bank = placement_->next(request, *this);
  const std::uint32_t group = blocks_.group_of_bank(opening.bank);
  opening.pace = collector_.begin_pace(group, statistics_.units_written);
  if (!opening.pace.kept) return opening;
  if (caches(stream)) [[unlikely]] {
    opening.block = slc_block(stream, opening.bank);
    if (opening.block != kNoBlockNumber && fails_next(stream, opening.block)) opening.block = kNoBlockNumber;
    if (opening.block != kNoBlockNumber || blocks_.slc().can_open(opening.bank)) return opening;
  }
  const BlockNumber block = open_block(stream, opening.bank);
  if (block != kNoBlockNumber && blocks_.free_of_group(group) >= free_blocks_wanted(block) && !wants_spare(group) &&
      !fails_next(stream, block))
    opening.block = block;
  return opening;
}

bool WriteFrontier::let_fail(std::uint32_t stream, BlockNumber block) {
  if (!programmer_.next_fails(block)) return false;
  failures_[stream].push_back(programmer_.fail(block));
  vacate(stream, block);
  // Data in the block are safe once the failing program is done, and the erase of the next block may wait for that.
  if (programmer_.exposes()) collector_.try_padding(failures_[stream], origin_of(stream));
  return true;
}

Task<bool> WriteFrontier::open(PlacementRequest request, Opening begun) {
  const std::uint32_t stream = request.stream;
  bool worn_down = blocks_.spare().worn_down();
  bool padded_full = false;
  set_dead_full();
  while (true) {
    if (blocks_.spare().worn_down() && !worn_down) {  // the reserve is for data already accepted
      worn_down = true;
      clear_full();
      set_dead_full();
    }
    if (full_count_ == blocks_.banks()) {
      if (worn_down || !blocks_.failures().possible()) break;
      blocks_.spare().wear_down();
      continue;
    }
    asking_ = stream;
    const Opening opening = std::exchange(begun, {});
    const bool begun_there = opening.bank != kNoBank && !full_[opening.bank];  // its die may have failed since
    const std::uint32_t bank = begun_there ? opening.bank : placement_->next(request, *this);
    if (full_[bank]) throw std::logic_error("the placement policy names a bank that is full");
    const std::uint32_t group = blocks_.group_of_bank(bank);
    const std::uint64_t age = statistics_.units_written;
    if (!begun_there || !opening.pace.kept) co_await collector_.keep_pace(group, age, opening.pace);
    if (caches(stream)) [[unlikely]] {
      const bool cached = co_await open_cached(stream, bank);
      if (cached) co_return true;
    }
    if (out_of_turn(stream, bank)) continue;  // collection has filled that member
    BlockNumber& block = open_block(stream, bank);
    if (block != kNoBlockNumber && fails_next(stream, block)) [[unlikely]]
      if (set_dead_full(); full_[bank] || out_of_turn(stream, bank)) continue;
    const std::uint32_t wanted = free_blocks_wanted(block);
    if (blocks_.free_of_group(group) < wanted) co_await collector_.make_room(group, wanted, age);
    if (blocks_.spare().worn_down() && !worn_down) continue;
    if (blocks_.free_of_group(group) < wanted) {
      if (!blocks_.one_by_one()) {
        set_full(group);
      } else {
        full_[bank] = true;
        ++full_count_;
      }
      may_be_full_ = true;
      continue;
    }
    if (block != kNoBlockNumber && wants_spare(group)) [[unlikely]] {
      // Padding may take all that a victim gains. Then copying further victims makes the earlier copies safe.
      if (padded_full && collector_.lacks_spare(group))
        co_await collector_.make_room(group, blocks_.free_of_group(group) + 1, age);
      if (blocks_.spare().worn_down() && !worn_down) continue;
      if (block != kNoBlockNumber && wants_spare(group)) co_await collector_.until_spare(group);
      if (block == kNoBlockNumber || out_of_turn(stream, bank)) {
        padded_full = programmer_.stripes() == nullptr;
        continue;
      }
    }
    if (!blocks_.one_by_one()) {
      if (!superblock_open(stream, bank)) {
        co_await collector_.open_superblock(group, &open_block(stream, blocks_.superblocks().first_bank(group)),
                                            stream);
        note_opened(stream, group);
      }
      if (block == kNoBlockNumber) continue;  // its member is bad or full
    }
    if (block == kNoBlockNumber) {
      block = co_await collector_.open_block(bank, stream);
      note_opened(stream, group);
    }
    if (fails_next(stream, block)) [[unlikely]] {
      set_dead_full();
      continue;
    }
    begin(stream, block);
    co_return true;
  }
  if (worn_down) {
    const bool taken = take_over(stream);
    if (!taken) collector_.try_padding(failures_[stream], origin_of(stream));
    co_return taken;
  }
  throw std::runtime_error("the device is full: no die has a block to spare, and GC finds nothing to gain");
}

// Marks the banks of a dead die as full.
void WriteFrontier::set_dead_full() {
  if (!blocks_.failures().any_dead()) [[likely]]
    return;
  for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank)
    if (blocks_.failures().dead(blocks_.die_of_bank(bank)) && !full_[bank]) {
      full_[bank] = true;
      ++full_count_;
    }
  if (!blocks_.one_by_one()) leave_dead_die();
}

// Fails the open blocks of the dead die at once: the other members of their superblocks would wait for them.
void WriteFrontier::leave_dead_die() {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber block = open_block(stream, bank);
      if (block == kNoBlockNumber || !blocks_.failures().dead(blocks_.die_of(block))) continue;
      make_way(block);
      if (open_block(stream, bank) == block && fails_next(stream, block))
        collector_.try_padding(failures_[stream], origin_of(stream));
    }
}

// On a worn-down device, uses the remaining program units in open blocks of any stream.
bool WriteFrontier::take_over(std::uint32_t stream) {
  if (!blocks_.one_by_one()) return false;
  for (BlockNumber& place : open_) {
    if (place == kNoBlockNumber) continue;
    make_way(place);
    if (place == kNoBlockNumber) continue;  // it was the last program unit of the block
    const BlockNumber block = std::exchange(place, kNoBlockNumber);
    if (fails_next(stream, block)) continue;
    open_block(stream, blocks_.bank_of(block)) = block;
    begin(stream, block);
    return true;
  }
  return false;
}

void WriteFrontier::begin(std::uint32_t stream, BlockNumber block) {
  jobs_[stream] = &programmer_.begin(block, origin_of(stream));
  if (!failures_[stream].empty()) [[unlikely]]
    collector_.try_first(*jobs_[stream], failures_[stream]);
  if (full_count_ != 0) clear_full();
}

void WriteFrontier::clear_full() {
  full_.assign(full_.size(), false);
  full_count_ = 0;
  may_be_full_ = !blocks_.one_by_one();
}

// On a worn-down device nothing is erased any more, but open blocks of the cache are still filled.
Task<bool> WriteFrontier::open_cached(std::uint32_t stream, std::uint32_t bank) {
  BlockNumber& block = slc_block(stream, bank);
  while (true) {
    if (block == kNoBlockNumber && !blocks_.spare().worn_down() && blocks_.slc().can_open(bank))
      block = co_await collector_.open_slc_block(bank, stream);
    if (block == kNoBlockNumber) co_return false;
    if (!fails_next(stream, block)) break;
  }
  begin(stream, block);
  co_return true;
}

bool WriteFrontier::superblock_open(std::uint32_t stream, std::uint32_t bank) const {
  const Superblocks& all = blocks_.superblocks();
  const std::uint32_t first = all.first_bank(blocks_.group_of_bank(bank));
  for (std::uint32_t other = first; other < first + all.members(); ++other)
    if (open(stream, other)) return true;
  return false;
}

void WriteFrontier::set_full(std::uint32_t group) {
  const Superblocks& all = blocks_.superblocks();
  for (std::uint32_t n = 0; n < all.members(); ++n) {
    if (full_[all.first_bank(group) + n]) continue;
    full_[all.first_bank(group) + n] = true;
    ++full_count_;
  }
}

void WriteFrontier::launch(std::uint32_t stream) { launch(stream, *std::exchange(jobs_[stream], nullptr)); }

void WriteFrontier::launch(std::uint32_t stream, ProgramJob& job) {
  const BlockNumber block = job.block;
  close_if_full(stream, block);
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
  programmer_.decided(block, statistics_.units_written);
  collector_.data_let_go();
}

const char* WriteFrontier::why_no_rule() const {
  if (stream_policy_->count() != 1) return "host data have several streams (ftl.streams)";
  if (!slc_open_.empty()) return "host data go through an SLC write cache";
  return nullptr;
}

// Does what placed() would do for the last unit of the program unit.
std::uint32_t WriteFrontier::filled_by_rule(std::uint32_t stream, std::uint32_t number) {
  ProgramJob& job = *std::exchange(jobs_[stream], nullptr);
  const BlockNumber block = job.block;
  const std::uint32_t units = context_.geometry.units_per_program();
  const std::uint32_t place =
      block * (blocks_.units_per_block() / units) + job.first_page / context_.geometry.program_pages;
  blocks_[block].valid += units;
  statistics_.units_written += units;
  statistics_.streams[stream].units_written += units;
  close_if_full(stream, block);
  programmer_.program_by_rule(job, number);
  programmer_.decided(block, statistics_.units_written);
  collector_.data_let_go();
  return place;
}

void WriteFrontier::close(std::uint32_t stream, BlockNumber block) {
  blocks_.close(block, statistics_.units_written);
  vacate(stream, block);
  collector_.closed(block);
}

void WriteFrontier::vacate(std::uint32_t stream, BlockNumber block) {
  // The block may be of another bank of the die than the one for which it was opened.
  std::vector<BlockNumber>& open = blocks_.in_slc_mode(block) ? slc_open_ : open_;
  const auto first = open.begin() + static_cast<std::ptrdiff_t>(std::size_t{stream} * blocks_.banks());
  const auto die = first + blocks_.die_of(block) * blocks_.banks_per_die();
  std::replace(die, die + blocks_.banks_per_die(), block, kNoBlockNumber);
}

void WriteFrontier::seal(std::uint32_t stream) {
  pad(stream, *jobs_[stream]);
  launch(stream);
}

void WriteFrontier::seal_unless_fits(std::uint32_t stream, const WriteUnit& unit) {
  if (!programmer_.fits(*jobs_[stream], unit)) seal(stream);
}

void WriteFrontier::pad(std::uint32_t stream, ProgramJob& job) {
  const std::uint32_t padded = programmer_.pad(job);
  statistics_.units_padded += padded;
  if (stream < host_streams_) statistics_.streams[stream].units_padded += padded;
}

void WriteFrontier::seal() {
  if (programmer_.exposes()) return seal_all();
  for (std::uint32_t stream = 0; stream < host_streams_; ++stream)
    if (jobs_[stream] != nullptr) seal(stream);
}

void WriteFrontier::seal_all() {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (jobs_[stream] != nullptr) seal(stream);
  if (!programmer_.exposes()) return;
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber& block = open_block(stream, bank);
      while (block != kNoBlockNumber && programmer_.wants_padding(block)) pad(stream, block);
    }
}

// Programs one padding unit in a block in which no program unit is being filled.
void WriteFrontier::pad(std::uint32_t stream, BlockNumber block) {
  ProgramJob& job = programmer_.begin_padding(block, origin_of(stream));
  pad(stream, job);
  launch(stream, job);
}

void WriteFrontier::close_word_lines(BlockNumber block) {
  if (programmer_.stripes() != nullptr) return seal_all();
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber& open = open_block(stream, bank);
      const ProgramJob* const job = jobs_[stream];
      if (job != nullptr && job->block == open && programmer_.exposed(open, block, true)) seal(stream);
      while (open != kNoBlockNumber && programmer_.exposed(open, block)) pad(stream, open);
    }
}

void WriteFrontier::let_go(BlockNumber block) {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (holds(stream, block)) seal(stream);
}

void WriteFrontier::make_way(BlockNumber block) {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (jobs_[stream] != nullptr && jobs_[stream]->block == block) seal(stream);
}

bool WriteFrontier::holds(BlockNumber block) const {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (holds(stream, block)) return true;
  if (!programmer_.exposes()) return false;
  return std::ranges::any_of(
      open_, [&](BlockNumber open) { return open != kNoBlockNumber && programmer_.exposed(open, block); });
}

bool WriteFrontier::completes(BlockNumber block) const {
  return std::ranges::any_of(
      jobs_, [&](const ProgramJob* job) { return job != nullptr && programmer_.exposed(job->block, block, true); });
}

bool WriteFrontier::holds(std::uint32_t stream, BlockNumber block) const {
  const ProgramJob* const job = jobs_[stream];
  return job != nullptr && programmer_.needs(*job, block);
}

bool WriteFrontier::fills(std::uint32_t stream, PhysicalUnit place) const {
  const ProgramJob* const job = jobs_[stream];
  if (job == nullptr) return false;
  const PhysicalUnit first =
      job->block * blocks_.units_per_block() + job->first_page * context_.geometry.units_per_page;
  return place - first < job->filled;
}

std::uint32_t WriteFrontier::load(std::uint32_t die) const {
  return programmer_.on_their_way(die) + context_.hardware.flash().queued(Die{die});
}

void WriteFrontier::state(StateArchive& archive, FrontBuffer& front) {
  archive(open_);
  if (!slc_open_.empty()) archive(slc_open_);
  for (ProgramJob*& job : jobs_) programmer_.job_state(archive, job, front);
  if (blocks_.failures().possible()) archive(failures_);
  archive.part("streams");
  stream_policy_->state(archive);
  archive.part("placement");
  placement_->state(archive);
  for (ReclaimUnit& unit : reclaim_units_) archive(unit.superblocks, unit.group);
}

}  // namespace flashloom
