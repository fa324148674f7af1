// Failed programs: where their data go. As elsewhere, decisions precede flash operations: the next program unit is
// begun elsewhere at once, and waits for the status of the failing one.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/program/programmer.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

// A requested failure hits the block being asked about if the program number matches.
bool Programmer::will_fail(BlockNumber block) {
  if (failed_program_ != 0 && sequence_ + 1 == failed_program_) {
    context_.media.plant_failure(blocks_.address(block, blocks_[block].allocated));
    failed_program_ = 0;
  }
  return blocks_.failures().next_fails(block);
}

void Programmer::kill_die() { context_.media.kill_die(Die{context_.media.endurance().failed_die()}); }

FailedProgram Programmer::fail(BlockNumber block) {
  FailedProgram failure{.block = block, .page = 0, .sequence = next_sequence()};
  failure.page = blocks_.programs().give_out(block, failure.sequence);
  blocks_.set_failed(block, failure.page);
  return failure;
}

void Programmer::try_first(ProgramJob& job, std::vector<FailedProgram>& failures, std::uint64_t age) {
  for (const FailedProgram& failure : failures) blocks_.close(failure.block, age);
  job.failures.insert(job.failures.end(), failures.begin(), failures.end());
  failures.clear();
}

void Programmer::try_padding(std::vector<FailedProgram>& failures, Origin origin, std::uint64_t age) {
  const std::vector<FailedProgram> all = std::exchange(failures, {});
  for (const FailedProgram& failure : all) {
    ProgramJob& job = take_job();
    job.block = failure.block;
    job.first_page = job.turn = failure.page;
    job.filled = job.gaps = job.copied = 0;
    job.fails = true;
    ++under_way_;
    prepare(job, origin, failure.sequence);
    pad(job);
    blocks_.close(failure.block, age);
    program(job);
  }
}

// Data in a block are safe once the program that fails there is done; until then it needs the previous versions.
bool Programmer::holds_back(BlockNumber failed, BlockNumber old) const {
  const PendingPages* const pending = blocks_[failed].pending.get();
  if (word_lines_.independent() || pending == nullptr) return false;
  for (const PhysicalUnit source : pending->source)
    if (source != kNoPhysicalUnit && blocks_.block_of(source) == old) return true;
  return std::ranges::any_of(jobs_, [&](const std::unique_ptr<ProgramJob>& job) {
    return job->block == failed && job->filled != 0 && needs(*job, old);
  });
}

// As before(), for the first failing place; then builds the command for it.
WaitList* Programmer::before_try(ProgramJob& job) {
  const FailedProgram& failure = job.failures.front();
  if (WaitList* const list = before_turn(job, failure.block, failure.page)) return list;
  if (job.attempt == nullptr) job.attempt = std::make_unique<OnfiCommand>();
  OnfiCommand& attempt = *job.attempt;
  attempt = job.command;
  attempt.address = blocks_.address(failure.block, failure.page);
  attempt.sequence = failure.sequence;
  attempt.payload_units = attempt.copied_units = 0;  // units are counted at their final place
  attempt.unused_units = units_per_program_ - context_.geometry.whole_units_per_program();
  attempt.owners = nullptr;
  attempt.completion = &job;
  return nullptr;
}

void Programmer::submit_try(ProgramJob& job) {
  blocks_.programs().submitted(job.failures.front().block, job.command.origin);
  moves(job);
  job.commands = 1;
  if (context_.hardware.flash().submit(*job.attempt)) has_failed(job);
}

// The status is known: the data, still in the buffer, are fetched again for their next place.
void Programmer::has_failed(ProgramJob& job) {
  if (job.attempt->status != FlashStatus::Failed)
    throw std::logic_error("a program ended in another way than was decided upon");
  const BlockNumber block = job.failures.front().block;
  blocks_.programs().done(block, job.failures.front().page);
  job.failures.erase(job.failures.begin());
  if (exposes()) release_safe(block);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(blocks_.die_of(block)).durable.wake_all();
  job.stage = ProgramJob::Stage::Fetch;
  begin_fetch(job);
  go_on(job);
}

}  // namespace flashloom
