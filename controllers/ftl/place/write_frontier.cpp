#include "controllers/ftl/place/write_frontier.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/recovery/log_apart.hpp"

namespace flashloom {
namespace {

PlacementContext placement_context(const NandGeometry& geometry, const BlockTable& blocks, std::uint32_t streams) {
  std::vector<std::uint64_t> room;  // of banks; empty unless dies are too small for equal shares of the logical space
  for (std::uint32_t bank = 0; blocks.free().keeps_for_log() && bank < blocks.banks(); ++bank)
    room.push_back(most_units_of_die(geometry, blocks.free().blocks_for_data(blocks.die_of_bank(bank))));
  return {.channels = geometry.channels,
          .ways = geometry.ways,
          .dies_per_way = geometry.dies_per_way,
          .planes = geometry.planes_apart(),
          .streams = streams,
          .units_per_program = geometry.whole_units_per_program(),
          .room = std::move(room)};
}

}  // namespace

WriteFrontier::WriteFrontier(Collector& collector)
    : FtlPart(collector),
      collector_(collector),
      host_(collector.open_blocks().host()),
      stream_policy_(make_streams(context_.config, {.logical_units = context_.logical_units})),
      placement_(make_placement(
          context_.config, placement_context(context_.geometry, blocks_,
                                             stream_policy_->count() + 1 + host_.streams() - host_.host_streams()))),
      sets_apart_(host_.host_streams() != stream_policy_->count()),
      gc_apart_(stream_policy_->gc_apart()),
      full_(blocks_.banks()),
      may_be_full_(!blocks_.one_by_one()),
      reclaim_units_(context_.config.fdp.on() ? std::make_unique<ReclaimUnits>(context_, blocks_, programmer_,
                                                                               collector.open_blocks(), statistics_)
                                              : nullptr),
      limits_time_(context_.config.fdp.on() && context_.config.fdp.unit_time_limit != 0),
      one_stream_(host_.host_streams() == 1 && !limits_time_) {
  if (!gc_apart_) collector_.open_blocks().copies().share_with_host();
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
  if (blocks_.any_dead()) [[unlikely]]
    return opening;  // open() knows where there is no room
  opening.bank = placement_->next(request, *this);
  const std::uint32_t group = blocks_.group_of_bank(opening.bank);
  opening.pace = collector_.begin_pace(group);
  if (!opening.pace.kept) return opening;
  if (WriteCache* const cache = host_.cache_of(stream)) [[unlikely]] {
    const BlockNumber* const next = cache->next(stream, opening.bank);
    if (next != nullptr) return {opening.bank, opening.pace, *next};
  }
  const BlockNumber block = host_.at(stream, opening.bank);
  if (block != kNoBlockNumber && blocks_.free_of_group(group) >= free_blocks_wanted(block) && !wants_spare(group) &&
      !host_.fails_next(stream, block))
    opening.block = block;
  return opening;
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
      if (worn_down || !blocks_.spare().may_run_out()) break;
      blocks_.spare().wear_down();
      continue;
    }
    asking_ = stream;
    const Opening opening = std::exchange(begun, {});
    const bool begun_there = opening.bank != kNoBank && !full_[opening.bank];  // its die may have failed since
    const std::uint32_t bank = begun_there ? opening.bank : placement_->next(request, *this);
    if (full_[bank]) throw std::logic_error("the placement policy names a bank that is full");
    const std::uint32_t group = blocks_.group_of_bank(bank);
    if (!begun_there || !opening.pace.kept) co_await collector_.keep_pace(group, opening.pace);
    if (WriteCache* const cache = host_.cache_of(stream)) [[unlikely]] {
      const bool cached = co_await cache->open(stream, bank);
      if (cached && full_count_ != 0) clear_full();
      if (cached) co_return true;
    }
    if (out_of_turn(stream, bank)) continue;  // collection has filled that member
    BlockNumber& block = host_.at(stream, bank);
    if (block != kNoBlockNumber && host_.fails_next(stream, block)) [[unlikely]]
      if (set_dead_full(); full_[bank] || out_of_turn(stream, bank)) continue;
    const std::uint32_t wanted = free_blocks_wanted(block);
    if (blocks_.free_of_group(group) < wanted) co_await collector_.make_room(group, wanted);
    if (blocks_.spare().worn_down() && !worn_down) continue;
    if (blocks_.free_of_group(group) < wanted) {
      if (blocks_.one_by_one())
        set_full(bank);
      else
        set_full(blocks_.first_bank(group), blocks_.members());
      may_be_full_ = true;
      continue;
    }
    if (block != kNoBlockNumber && wants_spare(group)) [[unlikely]] {
      // Padding may take all that a victim gains. Then copying further victims makes the earlier copies safe.
      if (padded_full && collector_.open_blocks().lacks_spare(group))
        co_await collector_.make_room(group, blocks_.free_of_group(group) + 1);
      if (blocks_.spare().worn_down() && !worn_down) continue;
      if (block != kNoBlockNumber && wants_spare(group)) co_await collector_.open_blocks().until_spare(group);
      if (block == kNoBlockNumber || out_of_turn(stream, bank)) {
        padded_full = programmer_.redundancy() == nullptr;
        continue;
      }
    }
    if (GcUnitOpener* const gc_units = collector_.open_blocks().gc_units()) {
      if (!any_member_open(stream, bank)) {
        co_await gc_units->open(group, &host_.at(stream, blocks_.first_bank(group)), stream);
        note_opened(stream, group);
      }
      if (block == kNoBlockNumber) continue;  // its member is bad or full
    }
    if (block == kNoBlockNumber) {
      block = co_await collector_.open_blocks().open_block(bank, stream);
      note_opened(stream, group);
    }
    if (host_.fails_next(stream, block)) [[unlikely]] {
      set_dead_full();
      continue;
    }
    begin(stream, block);
    co_return true;
  }
  if (worn_down) {
    const bool taken = take_over(stream);
    if (!taken) host_.try_padding(stream);
    co_return taken;
  }
  throw std::runtime_error("the device is full: no die has a block to spare, and GC finds nothing to gain");
}

// Marks the banks of a dead die as full.
void WriteFrontier::set_dead_full() {
  if (!blocks_.any_dead()) [[likely]]
    return;
  for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank)
    if (blocks_.dead(blocks_.die_of_bank(bank))) set_full(bank);
  if (!blocks_.one_by_one()) leave_dead_die();
}

// Fails the open blocks of the dead die at once: the other members of their GC units would wait for them.
void WriteFrontier::leave_dead_die() {
  for (std::uint32_t stream = 0; stream < host_.streams(); ++stream)
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber block = host_.at(stream, bank);
      if (block == kNoBlockNumber || !blocks_.dead(blocks_.die_of(block))) continue;
      host_.seal_in(block);
      if (host_.at(stream, bank) == block && host_.fails_next(stream, block)) host_.try_padding(stream);
    }
}

// On a worn-down device, uses the remaining program units in open blocks of any stream.
bool WriteFrontier::take_over(std::uint32_t stream) {
  if (!blocks_.one_by_one()) return false;
  for (BlockNumber& place : host_.all()) {
    if (place == kNoBlockNumber) continue;
    host_.seal_in(place);
    if (place == kNoBlockNumber) continue;  // it was the last program unit of the block
    const BlockNumber block = std::exchange(place, kNoBlockNumber);
    if (host_.fails_next(stream, block)) continue;
    host_.at(stream, blocks_.bank_of(block)) = block;
    begin(stream, block);
    return true;
  }
  return false;
}

void WriteFrontier::begin(std::uint32_t stream, BlockNumber block) {
  host_.begin(stream, block);
  if (full_count_ != 0) clear_full();
}

void WriteFrontier::clear_full() {
  full_.assign(full_.size(), false);
  full_count_ = 0;
  may_be_full_ = !blocks_.one_by_one();
}

bool WriteFrontier::any_member_open(std::uint32_t stream, std::uint32_t bank) const {
  const std::uint32_t first = blocks_.first_bank(blocks_.group_of_bank(bank));
  for (std::uint32_t other = first; other < first + blocks_.members(); ++other)
    if (open(stream, other)) return true;
  return false;
}

void WriteFrontier::set_full(std::uint32_t first, std::uint32_t banks) {
  for (std::uint32_t bank = first; bank < first + banks; ++bank) {
    if (full_[bank]) continue;
    full_[bank] = true;
    ++full_count_;
  }
}

const char* WriteFrontier::why_no_rule() const {
  return stream_policy_->count() == 1 ? nullptr : "host data have several streams (ftl.streams)";
}

// Does what placed() would do for the last unit of the program unit.
std::uint32_t WriteFrontier::filled_by_rule(std::uint32_t stream, std::uint32_t number) {
  const ProgramJob& job = *host_.job(stream);
  const BlockNumber block = job.block;
  const std::uint32_t units = context_.geometry.units_per_program();
  const std::uint32_t place =
      block * (blocks_.units_per_block() / units) + job.first_page / context_.geometry.program_pages;
  blocks_[block].valid += units;
  statistics_.units_written += units;
  statistics_.streams[stream].units_written += units;
  host_.launch_by_rule(stream, number);
  return place;
}

// The policy goes on in turn, since it has for two turns in which no block was opened, as long as none gets full.
std::uint32_t WriteFrontier::fill_turns(std::uint32_t stream, std::uint32_t number,
                                        std::span<const std::uint32_t> places, std::uint32_t turns) {
  if (!placement_->by_turn()) return 0;
  const std::uint32_t units = context_.geometry.units_per_program();
  const std::uint32_t programs = blocks_.units_per_block() / units;
  for (const std::uint32_t place : places) {
    const std::uint32_t done = place % programs;
    if (done < 2) return 0;
    turns = std::min(turns, programs - 1 - done);
  }
  if (turns == 0) return 0;
  programmer_.program_turns_by_rule(places, number, turns);
  for (const std::uint32_t place : places) blocks_[place / programs].valid += turns * units;
  const std::uint64_t written = std::uint64_t{turns} * places.size() * units;
  statistics_.units_written += written;
  statistics_.streams[stream].units_written += written;
  return turns;
}

SteadyShape WriteFrontier::steady_shape() const {
  const FtlConfig& config = context_.config;
  const bool greedy = config.garbage_collection.name == "greedy" && config.gc_mode == "paced" && config.gc_pause == 0 &&
                      config.gc_high == config.gc_low + 1;
  if (!greedy || !gc_apart_ || !one_stream() || !placement_->by_turn() || !blocks_.one_by_one() ||
      !collector_.sources().only_space())
    return {};
  const std::uint32_t free = blocks_.free().of_die(0);
  for (std::uint32_t die = 1; die < blocks_.dies(); ++die)
    if (blocks_.free().of_die(die) != free) return {};
  // Collection begins with the program unit after the one for which the last free block before gc_low was opened.
  const std::uint32_t before = (free - std::min(free, collector_.collects_at())) / blocks_.banks_per_die();
  if (before < 2) return {};
  return {.banks = blocks_.banks(),
          .units_per_block = blocks_.units_per_block(),
          .units_per_program = context_.geometry.units_per_program(),
          .blocks = before - 1};
}

std::uint32_t WriteFrontier::load(std::uint32_t die) const {
  return programmer_.on_their_way(die) + context_.hardware.flash().queued(Die{die});
}

void WriteFrontier::state(StateArchive& archive) {
  archive.part("streams");
  stream_policy_->state(archive);
  archive.part("placement");
  placement_->state(archive);
  if (reclaim_units_ != nullptr) archive(*reclaim_units_);
}

}  // namespace flashloom
