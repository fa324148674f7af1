// Saved state of programs: jobs being filled, and exposed ones.
#include <cstdint>
#include <vector>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

// Exposed jobs still hold buffer space, and the blocks that they replace or copy out of.
void Programmer::state(StateArchive& archive, FrontBuffer& front) {
  archive(sequence_);
  if (!exposes()) return;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].pending == nullptr) continue;
    std::vector<ProgramJob*>& exposed = blocks_[block].pending->exposed;
    auto count = static_cast<std::uint32_t>(exposed.size());
    archive(count);
    exposed.resize(count);
    for (ProgramJob*& job : exposed) {
      job_state(archive, job, front);
      for (std::uint32_t index = job->filled; index < units_per_program_; ++index) archive(job->oob[index]);
    }
  }
}

// Saves the filled part of a job. The buffer saves its host data; its copies are read only when the job is full.
void Programmer::job_state(StateArchive& archive, ProgramJob*& job, FrontBuffer& front) {
  bool filling = job != nullptr;
  archive(filling);
  if (!filling) return;
  if (archive.loading()) {
    job = &take_job();
    ++under_way_;
  }
  Origin origin = job->command.origin;
  std::uint64_t sequence = job->command.sequence;
  archive(job->block, job->first_page, job->turn, job->filled, job->gaps, job->copied, origin, sequence);
  archive(job->fails, job->failures);
  if (sizes_ != nullptr) archive(job->steps_of_page);
  if (archive.loading()) prepare(*job, origin, sequence);
  for (std::uint32_t index = 0; index < job->filled; ++index) {
    constexpr std::uint32_t kCopy = ~std::uint32_t{0};
    std::uint32_t slot = archive.loading() || job->writes[index] == nullptr ? kCopy : job->writes[index]->owner_slot;
    archive(job->oob[index], job->source[index], slot);
    job->writes[index] = slot == kCopy ? nullptr : &front.write_unit(slot);
    if (slot != kCopy) {
      archive(job->replaced[index]);
      note_flow(*job, *job->writes[index]);
    }
    if (archive.loading()) job->owners[index] = 0;  // request numbers belong to another run
  }
}

}  // namespace flashloom
