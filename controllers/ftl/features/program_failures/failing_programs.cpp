#include "controllers/ftl/features/program_failures/failing_programs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

FailingPrograms::FailingPrograms(const FtlContext& context, BlockTable& blocks, Programmer& programmer,
                                 const FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      statistics_(statistics),
      failed_program_(context.media.endurance().failed_program()) {}

std::unique_ptr<FailureHandler> make_failure_handler(const FtlContext& context, BlockTable& blocks,
                                                     Programmer& programmer, const FtlStatistics& statistics) {
  if (!context.media.endurance().programs_fail()) return nullptr;
  return std::make_unique<FailingPrograms>(context, blocks, programmer, statistics);
}

// Whether the next program unit of an open block fails. A requested failure hits the block being asked about if the
// program number matches.
bool FailingPrograms::fails(BlockNumber block) {
  const std::uint32_t page = blocks_[block].allocated;
  if (failed_program_ != 0 && programmer_.numbers().last() + 1 == failed_program_) {
    context_.media.plant_failure(blocks_.address(block, page));
    failed_program_ = 0;
  }
  return page < blocks_.pages_of(block) &&
         context_.media.program_fails(blocks_.address(block, page), blocks_.block_erases(block));
}

// At the number that the device file names, its die fails.
bool FailingPrograms::number(BlockNumber block) {
  const bool failing = fails(block);
  const BlockEndurance& endurance = context_.media.endurance();
  if (programmer_.numbers().last() + 1 == endurance.die_failure_at())
    context_.media.kill_die(Die{endurance.failed_die()});
  return failing;
}

bool FailingPrograms::fails_next(Writer writer, BlockNumber block) {
  if (!fails(block)) return false;
  number(block);
  FailedProgram failure{.block = block, .page = 0, .sequence = programmer_.numbers().next()};
  failure.page = blocks_.programs().give_out(block, failure.sequence);
  blocks_.set_failed(block, failure.page);
  of(writer).push_back(failure);
  return true;
}

void FailingPrograms::try_first(Writer writer, ProgramJob& job) {
  for (const FailedProgram& failure : of(writer)) blocks_.close(failure.block, statistics_.units_written);
  job.failures = std::exchange(of(writer), {});
  for (const FailedProgram& failure : job.failures) observer_->closed(failure.block);
}

void FailingPrograms::try_padding(Writer writer, Origin origin) {
  const Failures all = std::exchange(of(writer), {});
  for (const FailedProgram& failure : all) {
    ProgramJob& job = programmer_.jobs().begin_failed(failure, origin);
    programmer_.jobs().pad(job);
    blocks_.close(failure.block, statistics_.units_written);
    programmer_.program(job);
  }
  for (const FailedProgram& failure : all) observer_->closed(failure.block);
}

bool FailingPrograms::any_to_try(Writer writer, BlockNumber block) const {
  return writer < to_try_.size() && std::ranges::any_of(to_try_[writer], [block](const FailedProgram& failure) {
           return block == kNoBlockNumber || failure.block == block;
         });
}

WaitList* FailingPrograms::before_try(ProgramJob& job) {
  const FailedProgram& failure = job.failures.front();
  if (WaitList* const list = programmer_.before_turn(job, failure.block, failure.page)) return list;
  if (job.attempt == nullptr) job.attempt = std::make_unique<OnfiCommand>();
  OnfiCommand& attempt = *job.attempt;
  attempt = job.command;
  attempt.address = blocks_.address(failure.block, failure.page);
  attempt.sequence = failure.sequence;
  attempt.payload_units = attempt.copied_units = 0;  // units are counted at their final place
  const NandGeometry& geometry = context_.geometry;
  attempt.unused_units = geometry.units_per_program() - geometry.whole_units_per_program();
  attempt.owners = nullptr;
  attempt.completion = &job;
  return nullptr;
}

void FailingPrograms::submit_try(ProgramJob& job) {
  blocks_.programs().submitted(job.failures.front().block, job.command.origin);
  job.note_in_flight();
  job.commands = 1;
  if (context_.hardware.flash().submit(*job.attempt)) tried(job);
}

// The data, still in the buffer, are fetched again for their next place.
void FailingPrograms::tried(ProgramJob& job) {
  if (job.attempt->status != FlashStatus::Failed)
    throw std::logic_error("a program ended in another way than was decided upon");
  const BlockNumber block = job.failures.front().block;
  blocks_.programs().done(block, job.failures.front().page);
  job.failures.erase(job.failures.begin());
  if (programmer_.exposed().possible()) programmer_.exposed().release_safe(block);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(blocks_.die_of(block)).durable.wake_all();
  programmer_.fetch_again(job);
}

bool FailingPrograms::needs(const ProgramJob& job, BlockNumber old) const {
  return std::ranges::any_of(
      job.failures, [&](const FailedProgram& failure) { return failure.block == old || needs(failure.block, old); });
}

// Data in a block are safe once the program that fails there is done; until then it needs the previous versions.
bool FailingPrograms::needs(BlockNumber failed, BlockNumber old) const {
  const PendingPages* const pending = blocks_[failed].pending.get();
  const ExposedData& exposed = programmer_.exposed();
  if (exposed.word_lines().independent() || pending == nullptr) return false;
  for (const PhysicalUnit source : pending->source)
    if (source != kNoPhysicalUnit && blocks_.block_of(source) == old) return true;
  return programmer_.jobs().any(
      [&](const ProgramJob& job) { return job.block == failed && job.filled != 0 && exposed.needs(job, old); });
}

void FailingPrograms::state(StateArchive& archive, Writer first, std::uint32_t count) {
  for (Writer writer = first; writer < first + count; ++writer) archive(of(writer));
}

}  // namespace flashloom
