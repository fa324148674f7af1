#include "controllers/ftl/collect/host_blocks.hpp"

#include <algorithm>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

HostBlocks::HostBlocks(const FtlPart& part, ClosedBlocks& closed, OpenBlocks& open, bool map_stream)
    : FtlPart(part),
      closed_(closed),
      open_blocks_(open),
      copier_(context_, blocks_, programmer_),
      host_streams_(flashloom::host_streams(context_.config)),
      open_(std::size_t{host_streams_ + (map_stream ? 1U : 0U)} * blocks_.banks(), kNoBlockNumber),
      jobs_(host_streams_ + (map_stream ? 1 : 0)) {}

void HostBlocks::begin(std::uint32_t stream, BlockNumber block) {
  jobs_[stream] = &programmer_.jobs().begin(block, origin_of(stream));
  if (FailureHandler* const failures = programmer_.failure_handler()) [[unlikely]]
    failures->try_first(stream, *jobs_[stream]);
}

bool HostBlocks::let_fail(std::uint32_t stream, BlockNumber block) {
  if (!programmer_.failure_handler()->fails_next(stream, block)) return false;
  vacate(stream, block);
  // Data in the block are safe once the failing program is done, and the erase of the next block may wait for that.
  if (programmer_.exposed().possible()) try_padding(stream);
  return true;
}

void HostBlocks::launch(std::uint32_t stream) { launch(stream, *std::exchange(jobs_[stream], nullptr)); }

void HostBlocks::launch(std::uint32_t stream, ProgramJob& job) {
  const BlockNumber block = job.block;
  close_if_full(stream, block);
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
  programmer_.decided(block, statistics_.units_written);
  open_blocks_.data_programmed();
}

void HostBlocks::launch_by_rule(std::uint32_t stream, std::uint32_t number) {
  ProgramJob& job = *std::exchange(jobs_[stream], nullptr);
  const BlockNumber block = job.block;
  close_if_full(stream, block);
  programmer_.program_by_rule(job, number);
  programmer_.decided(block, statistics_.units_written);
  open_blocks_.data_programmed();
}

void HostBlocks::close(std::uint32_t stream, BlockNumber block) {
  blocks_.close(block, statistics_.units_written);
  vacate(stream, block);
  closed_.note(block);
}

void HostBlocks::vacate(std::uint32_t stream, BlockNumber block) {
  // The block may be of another bank of the die than the one for which it was opened.
  std::vector<BlockNumber>& open = blocks_.in_slc_mode(block) ? cache_->open_blocks() : open_;
  const auto first = open.begin() + static_cast<std::ptrdiff_t>(std::size_t{stream} * blocks_.banks());
  const auto die = first + blocks_.die_of(block) * blocks_.banks_per_die();
  std::replace(die, die + blocks_.banks_per_die(), block, kNoBlockNumber);
}

void HostBlocks::seal(std::uint32_t stream) {
  pad(stream, *jobs_[stream]);
  launch(stream);
}

void HostBlocks::pad(std::uint32_t stream, ProgramJob& job) {
  const std::uint32_t padded = programmer_.jobs().pad(job);
  statistics_.units_padded += padded;
  if (stream < host_streams_) statistics_.streams[stream].units_padded += padded;
}

void HostBlocks::pad(std::uint32_t stream, BlockNumber block) {
  ProgramJob& job = programmer_.jobs().begin_padding(block, origin_of(stream));
  pad(stream, job);
  launch(stream, job);
}

void HostBlocks::seal_all(bool map) {
  const bool exposes = programmer_.exposed().possible();
  for (std::uint32_t stream = 0; stream < (map || exposes ? streams() : host_streams_); ++stream)
    if (jobs_[stream] != nullptr) seal(stream);
  if (!exposes) return;
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber& block = at(stream, bank);
      while (block != kNoBlockNumber && programmer_.exposed().wants_padding(block)) pad(stream, block);
    }
}

void HostBlocks::seal_in(BlockNumber block) {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (jobs_[stream] != nullptr && jobs_[stream]->block == block) seal(stream);
}

void HostBlocks::seal_newer(BlockNumber old) {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (needs(stream, old)) seal(stream);
}

void HostBlocks::pad_exposed(BlockNumber old) {
  if (programmer_.redundancy() != nullptr) return seal_all(true);
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber& open = at(stream, bank);
      const ProgramJob* const job = jobs_[stream];
      if (job != nullptr && job->block == open && programmer_.exposed().needs(open, old, true)) seal(stream);
      while (open != kNoBlockNumber && programmer_.exposed().needs(open, old)) pad(stream, open);
    }
}

bool HostBlocks::needs(BlockNumber old) const {
  for (std::uint32_t stream = 0; stream < streams(); ++stream)
    if (needs(stream, old)) return true;
  if (!programmer_.exposed().possible()) return false;
  return std::ranges::any_of(
      open_, [&](BlockNumber open) { return open != kNoBlockNumber && programmer_.exposed().needs(open, old); });
}

bool HostBlocks::needs(std::uint32_t stream, BlockNumber old) const {
  const ProgramJob* const job = jobs_[stream];
  return job != nullptr && programmer_.exposed().needs(*job, old);
}

bool HostBlocks::safe_once_filled(BlockNumber old) const {
  return std::ranges::any_of(jobs_, [&](const ProgramJob* job) {
    return job != nullptr && programmer_.exposed().needs(job->block, old, true);
  });
}

bool HostBlocks::fills(std::uint32_t stream, PhysicalUnit place) const {
  const ProgramJob* const job = jobs_[stream];
  if (job == nullptr) return false;
  const PhysicalUnit first =
      job->block * blocks_.units_per_block() + job->first_page * context_.geometry.units_per_page;
  return place - first < job->filled;
}

void HostBlocks::state(StateArchive& archive, FrontBuffer& front) {
  archive(open_);
  if (cache_ != nullptr) archive(cache_->open_blocks());
  for (ProgramJob*& job : jobs_) programmer_.jobs().job_state(archive, job, front);
  FailureHandler* const failures = programmer_.failure_handler();
  if (failures == nullptr) return;
  std::uint64_t count = streams();
  archive(count);
  failures->state(archive, 0, streams());
}

}  // namespace flashloom
