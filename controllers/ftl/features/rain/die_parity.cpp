#include "controllers/ftl/features/rain/die_parity.hpp"

#include <memory>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

DieParity::DieParity(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, Programmer& programmer,
                     FtlStatistics::Rain& statistics)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      statistics_(statistics),
      stripes_(context, blocks, layout),
      recovery_(context, blocks, stripes_, statistics),
      accumulations_(context.config.rain_memory == "sram" ? 0 : 2 * context.config.rain) {}

std::unique_ptr<Redundancy> make_redundancy(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                                            Programmer& programmer, FtlStatistics& statistics) {
  if (context.config.rain == 0) return nullptr;
  return std::make_unique<DieParity>(context, blocks, layout, programmer, statistics.rain);
}

void DieParity::decided(BlockNumber block, std::uint64_t age) {
  BlockInfo& info = blocks_[block];
  if (info.parity != 0) return;
  info.decided = info.allocated;
  for (std::uint32_t n = 0; n < stripes_.dies(); ++n) {
    const BlockNumber parity = stripes_.member(block, n);
    while (blocks_[parity].parity != 0 && blocks_[parity].state == BlockState::Open && stripes_.complete(parity))
      program(parity, age);
  }
}

// A failed parity program is not retried: its stripe and the later ones of the superblock stay without this parity
// until the superblock has been collected, which happens with priority.
void DieParity::program(BlockNumber block, std::uint64_t age) {
  ProgramJobs& jobs = programmer_.jobs();
  ProgramJob& job = jobs.begin_padding(block, Origin::Parity);
  job.parity = true;
  jobs.pad(job);
  const BlockInfo& info = blocks_[block];
  if (job.fails) ++statistics_.failed_parity_programs;
  if (job.fails || info.allocated == blocks_.pages_of(block)) blocks_.close(block, age);
  programmer_.program(job);
}

// Reads the stripe's partial parity, adds the unit's data, and writes it back.
bool DieParity::accumulate(ProgramJob& job) {
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
WaitList* DieParity::before_data(const ProgramJob& job) {
  for (std::uint32_t n = 0; n < stripes_.dies(); ++n) {
    const BlockNumber member = stripes_.member(job.block, n);
    const BlockInfo& info = blocks_[member];
    if (info.parity != 0 || info.pending == nullptr || !stripes_.takes_part(member, job.first_page)) continue;
    if (info.durable <= job.first_page) return &blocks_.waits().events(blocks_.die_of(member)).durable;
  }
  return nullptr;
}

void DieParity::done(BlockNumber block) {
  for (std::uint32_t n = 0; n < stripes_.dies(); ++n) {
    const BlockNumber member = stripes_.member(block, n);
    if (member == block || blocks_[member].pending == nullptr) continue;
    programmer_.exposed().release_safe(member);
    blocks_.programs().retire_if_done(member);
    blocks_.waits().events(blocks_.die_of(member)).durable.wake_all();
  }
}

// Data of a stripe without parity were never acknowledged; the data that they replace still exist.
bool DieParity::acknowledged(BlockNumber block, std::uint32_t page) const {
  return stripes_.ended(block, page) && (!blocks_.dead(blocks_.die_of(block)) || stripes_.whole(block, page));
}

}  // namespace flashloom
