#include "controllers/ftl/program/program_numbers.hpp"

#include "models/nand/nand_media.hpp"

namespace flashloom {

ProgramNumbers::ProgramNumbers(const FtlContext& context, BlockTable& blocks)
    : context_(context),
      blocks_(blocks),
      failed_program_(context.media.endurance().failed_program()),
      die_failure_at_(context.media.endurance().die_failure_at()) {}

// A requested failure hits the block being asked about if the program number matches.
bool ProgramNumbers::will_fail(BlockNumber block) {
  if (failed_program_ != 0 && last_ + 1 == failed_program_) {
    context_.media.plant_failure(blocks_.address(block, blocks_[block].allocated));
    failed_program_ = 0;
  }
  return blocks_.failures().next_fails(block);
}

void ProgramNumbers::kill_die() { context_.media.kill_die(Die{context_.media.endurance().failed_die()}); }

}  // namespace flashloom
