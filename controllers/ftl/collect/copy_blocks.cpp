#include "controllers/ftl/collect/copy_blocks.hpp"

#include <algorithm>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {
namespace {

// Program units of copies by which the flash commands of a die may lag behind the decisions before host data wait
// there: an eighth of a block, within these bounds.
constexpr std::uint32_t kLeastBehind = 4;
constexpr std::uint32_t kMostBehind = 64;

}  // namespace

CopyBlocks::CopyBlocks(const FtlPart& part, const Victims& victims, HostBlocks& host, ClosedBlocks& closed,
                       OpenBlocks& open)
    : FtlPart(part),
      victims_(victims),
      host_(host),
      closed_(closed),
      open_blocks_(open),
      debt_(context_.geometry.dies,
            std::clamp(context_.geometry.pages / context_.geometry.program_pages / 8, kLeastBehind, kMostBehind)),
      copier_(context_, blocks_, programmer_, &debt_),
      streams_(host.streams()),
      places_(copies_stay_in_plane(context_.geometry) ? context_.geometry.planes_apart() : 1),
      groups_(blocks_.groups()) {
  programmer_.attach(debt_);
  const FdpConfig& fdp = context_.config.fdp;
  for (std::uint32_t stream = 0; fdp.on() && stream < streams_; ++stream)
    copies_streams_.push_back(copies_stream(fdp, stream));
  open_.assign(blocks_.one_by_one() ? groups_.size() * places_ * streams_
                                    : std::size_t{blocks_.banks()} * (streams_ + kColdSlots),
               kNoBlockNumber);
}

// With copyback, copies stay in the plane of their source. Else they go where blocks are open, or to the bank with the
// most free blocks.
std::uint32_t CopyBlocks::bank_for(BlockNumber block) const {
  if (copies_stay_in_plane(context_.geometry)) return blocks_.bank_of(block);
  const std::uint32_t die = blocks_.die_of(block);
  const std::uint32_t first = die * blocks_.banks_per_die();
  for (std::uint32_t bank = first; shared_ && bank < first + blocks_.banks_per_die(); ++bank)
    if (host_.all()[bank] != kNoBlockNumber) return bank;
  return blocks_.free().bank_of_most_room(die);
}

BlockNumber* CopyBlocks::members(std::uint32_t group) {
  if (victims_[group].source->apart()) return cold(group);
  if (shared_) return host_.all().data() + blocks_.first_bank(group);
  return slot(group, stream_for(victims_[group].from));
}

bool CopyBlocks::any_open(const BlockNumber* open) const {
  const BlockNumber* const end = open + blocks_.members();
  return std::any_of(open, end, [](BlockNumber block) { return block != kNoBlockNumber; });
}

BlockNumber CopyBlocks::next_member(std::uint32_t group) {
  Group& state = groups_[group];
  const std::uint32_t count = blocks_.members();
  if (victims_[group].source->apart() && !any_open(members(group))) state.cold_slot ^= 1;
  const BlockNumber* const open = members(group);
  const Redundancy* const redundancy = programmer_.redundancy();
  for (std::uint32_t looked = 0; looked < count; ++looked) {
    const BlockNumber block = open[state.to_member];
    if (++state.to_member == count) state.to_member = 0;
    if (block != kNoBlockNumber && (redundancy == nullptr || redundancy->in_turn(block))) return block;
  }
  return kNoBlockNumber;
}

// Waiting host data in a shared block are padded and programmed first; else copies would follow that program unit and
// wait with it for more data. It may be the block's last program unit.
BlockNumber CopyBlocks::next_open(std::uint32_t group) {
  while (true) {
    const BlockNumber open = blocks_.one_by_one() ? next_place(group) : next_member(group);
    if (!shared_ || open == kNoBlockNumber) return open;
    host_.seal_in(open);
    if (blocks_[open].state == BlockState::Open) return open;
  }
}

bool CopyBlocks::begin(std::uint32_t group) {
  Group& state = groups_[group];
  BlockNumber open = next_open(group);
  FailureHandler* const failures = programmer_.failure_handler();
  while (failures != nullptr && open != kNoBlockNumber && failures->fails_next(writer_of(group), open)) [[unlikely]] {
      vacate(group, open);
      if (programmer_.exposed().possible()) try_padding(group);
      open = next_open(group);
    }
  if (open == kNoBlockNumber) return false;
  state.job = &programmer_.jobs().begin(open, victims_[group].source->origin());
  state.job->owners[0] = victims_[group].collection;
  if (failures != nullptr) [[unlikely]]
    failures->try_first(writer_of(group), *state.job);
  return true;
}

void CopyBlocks::pad(std::uint32_t group) {
  statistics_.units_padded += programmer_.jobs().pad(*groups_[group].job);
  launch(group);
}

void CopyBlocks::launch(std::uint32_t group) {
  const bool carried = std::exchange(groups_[group].carried, false);
  launch(group, *std::exchange(groups_[group].job, nullptr));
  if (carried && !programmer_.exposed().possible()) open_blocks_.data_programmed();
}

void CopyBlocks::launch(std::uint32_t group, ProgramJob& job) {
  const BlockNumber block = job.block;
  close_if_full(group, block);
  copier_.launch(job);
  programmer_.decided(block, statistics_.units_written);
  if (programmer_.exposed().possible()) open_blocks_.data_programmed();
}

// Programs one padding unit in a block in which no program unit is being filled.
void CopyBlocks::pad_block(BlockNumber block) {
  ProgramJob& job = programmer_.jobs().begin_padding(block, Origin::Gc);
  job.owners[0] = 0;
  statistics_.units_padded += programmer_.jobs().pad(job);
  launch(blocks_.group_of(block), job);
}

void CopyBlocks::close(std::uint32_t group, BlockNumber block) {
  blocks_.close(block, statistics_.units_written);
  vacate(group, block);
  closed_.note(block);
}

void CopyBlocks::vacate(std::uint32_t group, BlockNumber block) {
  Group& state = groups_[group];
  if (state.cold[0] == block)
    state.cold = {state.cold[1], kNoBlockNumber};
  else if (!shared_ || !blocks_.one_by_one())
    std::replace(open_.begin(), open_.end(), block, kNoBlockNumber);
  if (shared_) std::replace(host_.all().begin(), host_.all().end(), block, kNoBlockNumber);
}

void CopyBlocks::seal() {
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    if (groups_[group].job != nullptr) pad(group);
  if (!programmer_.exposed().possible()) return;
  for (const BlockNumber block : all_open())
    while (blocks_[block].state == BlockState::Open && programmer_.exposed().wants_padding(block)) pad_block(block);
}

// If copies share the blocks of host data, those are padded with the host data; moved data have their own blocks even
// then.
std::vector<BlockNumber> CopyBlocks::all_open() const {
  std::vector<BlockNumber> open = open_;
  for (const Group& group : groups_) open.insert(open.end(), group.cold.begin(), group.cold.end());
  std::erase(open, kNoBlockNumber);
  return open;
}

void CopyBlocks::seal_newer(BlockNumber old) {
  const std::uint32_t group = blocks_.group_of(old);
  const ProgramJob* const job = groups_[group].job;
  if (job != nullptr && programmer_.exposed().needs(*job, old)) pad(group);
}

// Pads no more than the erase of `old` waits for: each padding unit takes space from the next victim's copies.
void CopyBlocks::pad_exposed(BlockNumber old) {
  if (programmer_.redundancy() != nullptr) return seal();
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    const ProgramJob* const job = groups_[group].job;
    if (job != nullptr &&
        (programmer_.exposed().needs(*job, old) || programmer_.exposed().needs(job->block, old, true)))
      pad(group);
  }
  for (const BlockNumber block : all_open())
    while (blocks_[block].state == BlockState::Open && programmer_.exposed().needs(block, old)) pad_block(block);
}

bool CopyBlocks::needs(BlockNumber old) const {
  const ProgramJob* const job = groups_[blocks_.group_of(old)].job;
  if (job != nullptr && programmer_.exposed().needs(*job, old)) return true;
  return programmer_.exposed().possible() &&
         std::ranges::any_of(all_open(), [&](BlockNumber open) { return programmer_.exposed().needs(open, old); });
}

bool CopyBlocks::safe_once_filled(BlockNumber old) const {
  const ProgramJob* const job = groups_[blocks_.group_of(old)].job;
  return job != nullptr && programmer_.exposed().needs(job->block, old, true);
}

}  // namespace flashloom
