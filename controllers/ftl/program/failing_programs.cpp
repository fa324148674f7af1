#include "controllers/ftl/program/failing_programs.hpp"

#include <stdexcept>
#include <utility>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

FailedProgram FailingPrograms::fail(BlockNumber block) {
  FailedProgram failure{.block = block, .page = 0, .sequence = numbers_.next()};
  failure.page = blocks_.programs().give_out(block, failure.sequence);
  blocks_.set_failed(block, failure.page);
  return failure;
}

void FailingPrograms::try_first(ProgramJob& job, std::vector<FailedProgram>& failures, std::uint64_t age) {
  for (const FailedProgram& failure : failures) blocks_.close(failure.block, age);
  job.failures.insert(job.failures.end(), failures.begin(), failures.end());
  failures.clear();
}

void FailingPrograms::try_padding(std::vector<FailedProgram>& failures, Origin origin, std::uint64_t age) {
  const std::vector<FailedProgram> all = std::exchange(failures, {});
  for (const FailedProgram& failure : all) {
    ProgramJob& job = programmer_.jobs().begin_failed(failure, origin);
    programmer_.jobs().pad(job);
    blocks_.close(failure.block, age);
    programmer_.program(job);
  }
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
  if (context_.hardware.flash().submit(*job.attempt)) has_failed(job);
}

// The status is known: the data, still in the buffer, are fetched again for their next place.
void FailingPrograms::has_failed(ProgramJob& job) {
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

}  // namespace flashloom
