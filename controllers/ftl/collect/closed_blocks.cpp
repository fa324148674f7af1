#include "controllers/ftl/collect/closed_blocks.hpp"

namespace flashloom {

void ClosedBlocks::try_first(ProgramJob& job, std::vector<FailedProgram>& failures) {
  if (failures.empty()) return;
  programmer_.failures().try_first(job, failures, statistics_.units_written);
  for (const FailedProgram& failure : job.failures) note(failure.block);
}

void ClosedBlocks::try_padding(std::vector<FailedProgram>& failures, Origin origin) {
  const std::vector<FailedProgram> all = failures;
  programmer_.failures().try_padding(failures, origin, statistics_.units_written);
  for (const FailedProgram& failure : all) note(failure.block);
}

}  // namespace flashloom
