#include "controllers/ftl/mapping/block_ftl.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controllers/ftl/mapping/block_resolver.hpp"
#include "controllers/ftl/mapping/nvram_resolver.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

BlockFtl::BlockFtl(const FtlContext& context, std::uint32_t open_programs, std::uint32_t least_extras)
    : MappedFtl(context),
      checkpoints_(recovery_of(context.config).checkpoints),
      tombstones_(context.logical_units),
      keeper_(context_, blocks_, layout_, map_, *this, checkpoints_ ? nullptr : &tombstones_),
      space_(context_.geometry, context.logical_units, blocks_.spare().failure_reserve() != 0, checkpoints_),
      logical_(part()),
      programs_(
          part(), logical_, open_programs, [this](ProgramJob& job) { complete(job); }, newest_version_),
      settlements_(keeper_.method().in_nvram ? std::make_unique<BlockSettlements>(part(), logical_, programs_)
                                             : nullptr),
      merges_(part(), logical_, programs_, settlements_.get(), read_only_) {
  std::vector<std::uint32_t> may_lose;
  for (std::uint32_t die = 0; die < context.geometry.dies; ++die)
    may_lose.push_back(space_.may_lose(die, least_extras));
  blocks_.spare().limit_losses(std::move(may_lose));
  if (keeper_.method().journals) programmer_.attach(keeper_);
}

Task<void> BlockFtl::recover() {
  if (settlements_ != nullptr) {
    co_await recover_from_nvram();
    co_return;
  }
  BlockScan scan(context_, blocks_, layout_);
  BlockResolver resolver(part(), parts(), tombstones_, scan);
  co_await resolver.read(keeper_);
  mounted_ = scan.report();
  mounted_.from_checkpoint = checkpoints_ && !scan.log().snapshot().empty();
  programmer_.numbers().continue_after(scan.newest_sequence());
  const std::vector<Leftover> leftovers = resolver.run();
  co_await use_leftovers(leftovers);
}

Task<void> BlockFtl::recover_from_nvram() {
  NvramBlockMap& nvram_map = settlements_->map();
  co_await nvram_map.read();
  NvramResolver resolver(part(), parts(), nvram_map);
  const std::vector<std::uint8_t> wanted = resolver.read_records();
  BlockScan scan(context_, blocks_, layout_);
  co_await scan.run_some(wanted);
  mounted_ = scan.report();
  programmer_.numbers().continue_after(scan.newest_sequence());
  const std::vector<Leftover> leftovers = resolver.run(scan);
  co_await nvram_map.replace(kNoBlockNumber, {}, 0, resolver.to_erase());
  resolver.erase();
  co_await use_leftovers(leftovers);
}

// If too few blocks are left to continue, the mount changes nothing, and the data stay readable.
Task<void> BlockFtl::use_leftovers(const std::vector<Leftover>& leftovers) {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) < blocks_.spare().failure_reserve()) blocks_.spare().wear_down();
  if (!worn_down()) co_await adopt(leftovers);
  read_only_ = worn_down();
  const std::vector<BlockNumber>& data = logical_.data();
  for (const Leftover& leftover : leftovers)
    if (worn_down() && blocks_[leftover.block].valid != 0 &&
        std::find(data.begin(), data.end(), leftover.block) == data.end()) {
      if (settlements_ != nullptr) co_await settlements_->map().share(leftover.block);
      last_.push_back(leftover.block);
    }
}

bool BlockFtl::write_merges(std::uint32_t first, std::uint32_t count) const {
  if (worn_down()) return false;
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{first} + count, map_.size()));
  for (std::uint32_t next = 0; first < end; first = next) {
    next = std::min(end, first + logical_.units() - logical_.offset_of(first));
    if (merges_for(logical_.block_of(first), logical_.offset_of(first), next - first)) return true;
  }
  return false;
}

// Fills the blocks that a mount has left partly written, then free ones.
Task<void> BlockFtl::write_last(WriteUnit& unit) {
  for (const BlockNumber block : last_)
    for (std::uint32_t at = programs_.any_order() ? 0 : programs_.next_position(block); at < logical_.units(); ++at)
      if (programs_.can_place(block, at)) co_return programs_.place_host(block, at, unit);
  const std::uint32_t die = merges_.roomiest_die();
  if (blocks_.free().of_die(die) == 0) {
    unit.refused = out_of_room_ = true;
    co_return;
  }
  const BlockNumber block = co_await merges_.open_on(blocks_.free().bank_of_most_room(die));
  if (settlements_ != nullptr)
    co_await settlements_->map().open(block, kNoLogicalBlock, kNoBlockNumber, NvramBlockMap::Use::Any);
  if (programs_.any_order()) blocks_.programs().write_in_any_order(block);
  last_.push_back(block);
  programs_.place_host(block, 0, unit);
}

Task<void> BlockFtl::seal() {
  programs_.seal_all();
  co_return;
}

Task<void> BlockFtl::come_to_rest() {
  co_await seal();
  co_await programmer_.jobs().all_done();
}

Task<void> BlockFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  if (settlements_ != nullptr)
    co_await settlements_->trim(first, count);
  else if (const bool recorded = co_await keeper_.trim(first, count, version); !recorded)
    out_of_room_ = true;
  newest_version_ = std::max(newest_version_, version);
  co_await MappedFtl::trim(first, count, version);
}

Task<void> BlockFtl::before_release() {
  if (keeper_.trims_pending() && !fault(Fault::EraseBeforeTrim)) co_await keeper_.persist_trims();
}

Task<void> BlockFtl::do_duties(LogicalBlock logical) {
  if (keeper_.paces()) co_await keeper_.before_write();
  if (logical_.leveling_due(logical_.die_of(logical))) co_await level_wear(logical_.die_of(logical));
}

Task<void> BlockFtl::level_wear(std::uint32_t die) {
  logical_.leveling_asked(die);
  if (worn_down() || blocks_.free().of_die(die) < space_.reserve()) co_return;
  const BlockNumber block = logical_.take_candidate(die);
  if (block == kNoBlockNumber) co_return;
  const LogicalBlock logical = logical_.of_data(block);
  if (logical == kNoLogicalBlock || being_rewritten(logical)) co_return;
  co_await before_release();
  const std::uint32_t end = logical_.end_of_copy(logical);
  if (end == 0) co_return;
  const BlockNumber target = co_await merges_.open(logical, NvramBlockMap::Use::Copies, FreeUse::Cold);
  merges_.move_data(logical, target, end);
}

Task<void> BlockFtl::make_room(std::uint32_t die, std::uint32_t most) {
  while (!worn_down() && used_blocks(die) >= std::min(most, extra_blocks(die))) co_await give_up_one(die);
}

// From the die with the fewest log blocks, after the FTL has made room there; on a worn-down device, from any die.
Task<BlockNumber> BlockFtl::take_block() {
  std::uint32_t die = 0;
  for (std::uint32_t other = 1; other < context_.geometry.dies; ++other)
    if (keeper_.log().blocks_on(other) < keeper_.log().blocks_on(die)) die = other;
  co_await make_room(die);
  if (worn_down()) die = merges_.roomiest_die();
  if (worn_down() && blocks_.free().of_die(die) == 0) co_return kNoBlockNumber;
  const BlockNumber block = co_await merges_.open_on(blocks_.free().bank_of_most_room(die));
  blocks_.dedicate(block);
  co_return block;
}

void BlockFtl::return_block(BlockNumber block) { merges_.give_back(block, Origin::Map); }

void BlockFtl::state(StateArchive& archive, FrontBuffer& front) {
  archive.part("block FTL");
  archive(map_, blocks_, statistics_, newest_version_);
  logical_.state(archive);
  programs_.state(archive);
  archive(tombstones_, last_, read_only_, out_of_room_);
  programmer_.state(archive, front);
  programs_.job_states(archive, front);
  own_state(archive);
  logical_.leveling_state(archive);
  archive.part("map keeper");
  keeper_.state(archive);
}

void BlockFtl::check() const {
  MappedFtl::check();
  for (LogicalBlock logical = 0; logical < logical_.count(); ++logical)
    for (std::uint32_t offset = 0; offset < logical_.units(); ++offset) {
      const PhysicalUnit place = logical_.place_of(logical, offset);
      if (place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      const bool last = std::ranges::find(last_, block) != last_.end();
      if (block == logical_.data(logical) ? blocks_.offset_in_block(place, block) != offset
                                          : !last && !may_hold(block, logical))
        throw std::logic_error("unit " + std::to_string(logical_.first_unit(logical) + offset) + " lies in block " +
                               std::to_string(block) + ", where no unit of its logical block may lie");
    }
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].state == BlockState::Free && blocks_[block].valid != 0)
      throw std::logic_error("free block " + std::to_string(block) + " holds valid units");
}

}  // namespace flashloom
