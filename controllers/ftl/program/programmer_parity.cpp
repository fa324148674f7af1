// Parity over dies: when it is programmed, and which data become durable with it.
#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/ftl/program/stripe_recovery.hpp"
#include "controllers/hardware/read_retry.hpp"

namespace flashloom {

void Programmer::add_parity(BlockNumber block, std::uint64_t age) {
  BlockInfo& info = blocks_[block];
  if (info.parity != 0) return;
  info.decided = info.allocated;
  for (std::uint32_t n = 0; n < stripes_->dies(); ++n) {
    const BlockNumber parity = stripes_->member(block, n);
    while (blocks_[parity].parity != 0 && blocks_[parity].state == BlockState::Open && stripes_->complete(parity))
      program_parity(parity, age);
  }
}

// A failed parity program is not retried: its stripe and the later ones of the superblock stay without this parity
// until the superblock has been collected, which happens with priority.
void Programmer::program_parity(BlockNumber block, std::uint64_t age) {
  ProgramJob& job = begin_padding(block, Origin::Parity);
  job.parity = true;
  pad(job);
  const BlockInfo& info = blocks_[block];
  if (job.fails) ++statistics_.rain.failed_parity_programs;
  if (job.fails || info.allocated == blocks_.pages_of(block)) blocks_.close(block, age);
  program(job);
}

// Reads the stripe's partial parity, adds the unit's data, and writes it back.
bool Programmer::accumulate(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  while (job.accumulations != 0) {
    const bool writes = (--job.accumulations & 1) == 0;
    const std::uint64_t place = hardware.staging_address(job.command.bytes);
    if (job.move(writes ? hardware.dram_write(job.command.bytes, job.at.fetched, place)
                        : hardware.dram_read(job.command.bytes, job.at.fetched, place),
                 job.at.fetched))
      return false;
  }
  return true;
}

// Waits until the rest of the stripe is on flash: after a power cut, parity that covers missing data would be useless.
WaitList* Programmer::before_parity(const ProgramJob& job) {
  for (std::uint32_t n = 0; n < stripes_->dies(); ++n) {
    const BlockNumber member = stripes_->member(job.block, n);
    const BlockInfo& info = blocks_[member];
    if (info.parity != 0 || info.pending == nullptr || !stripes_->takes_part(member, job.first_page)) continue;
    if (info.durable <= job.first_page) return &blocks_.waits().events(blocks_.die_of(member)).durable;
  }
  return nullptr;
}

void Programmer::parity_done(BlockNumber block) {
  for (std::uint32_t n = 0; n < stripes_->dies(); ++n) {
    const BlockNumber member = stripes_->member(block, n);
    if (member == block || blocks_[member].pending == nullptr) continue;
    release_safe(member);
    blocks_.programs().retire_if_done(member);
    blocks_.waits().events(blocks_.die_of(member)).durable.wake_all();
  }
}

Task<void> Programmer::recover(OnfiCommand& read, bool metadata) const {
  const bool dead = recovery_ != nullptr && blocks_.failures().dead(read.address.die.value());
  if (!dead || metadata) co_await recover_read(context_.hardware, read, metadata);
  if (recovery_ == nullptr || !needs_recovery(read)) co_return;
  co_await recovery_->recover(read);
  if (dead && needs_recovery(read)) context_.hardware.flash().ecc()->count_uncorrectable(read);
}

}  // namespace flashloom
