#include "controllers/ftl/program/copyback.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/program/program_reads.hpp"

namespace flashloom {

bool Copyback::can_copy(const ProgramJob& job) const {
  const NandGeometry& geometry = context_.geometry;
  const std::uint32_t units = geometry.units_per_program();
  if (!job.failures.empty()) return false;  // after a failed program the register's data are gone
  if (!geometry.copyback || geometry.program_pages != geometry.planes_together || job.copied != units ||
      job.command.origin == Origin::Map)
    return false;
  const BlockNumber from = blocks_.block_of(job.source[0]);
  const std::uint32_t in_block = blocks_.offset_in_block(job.source[0], from);
  if (blocks_.die_of(from) != job.die() || in_block % units != 0) return false;
  for (std::uint32_t index = 1; index < units; ++index)
    if (job.source[index] != job.source[0] + index) return false;
  return geometry.plane_of(Block{blocks_.block_of_die(from)}, Page{blocks_.page_of(in_block)}) ==
         geometry.plane_of(Block{blocks_.block_of_die(job.block)}, Page{job.first_page});
}

OnfiCommand& Copyback::commands(ProgramJob& job) const {
  const std::uint32_t units = context_.geometry.units_per_page;
  for (std::uint32_t page = 0; page < context_.geometry.program_pages; ++page) {
    const std::uint32_t index = page * units;
    OnfiCommand& read = reads_.fill_read(job, job.reads[page], index, units, job.command.origin);
    read.bytes = 0;
    read.oob = job.oob + index;  // keeps the words: a copy keeps its unit and version
    read.tokens = context_.verify ? job.tokens + std::size_t{index} * context_.sectors_per_unit : nullptr;
    if (page != 0) job.reads[page - 1].together = &read;
  }
  job.reads[0].then = &job.command;
  job.command.bytes = 0;
  return job.reads[0];
}

void Copyback::check(const ProgramJob& job) const {
  for (std::uint32_t page = 0; page < context_.geometry.program_pages; ++page)
    if (job.reads[page].status != FlashStatus::Good)
      throw std::logic_error("a copyback met a page that cannot be read");
  const std::size_t first = std::size_t{job.first_page} * context_.geometry.units_per_page;
  const OobWord* const expected = &blocks_[job.block].pending->oob[first];
  if (!std::equal(expected, expected + job.filled, job.oob))
    throw std::logic_error("a copyback moved other units than the map says");
}

}  // namespace flashloom
