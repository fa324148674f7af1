// Program units of compressed data (Packing).
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

OobWord Programmer::packed_word_of(const WriteUnit& unit) const {
  if (unit.version > layout_.max_version()) too_many_versions();
  return packing_->word_of(unit);
}

void Programmer::leave_page(ProgramJob& job) {
  while (job.filled % units_per_page_ != 0) place_gap(job, layout_.padding());
  job.granules = 0;
}

void Programmer::take_room(ProgramJob& job, OobWord word) {
  if (packing_->takes(job, word) || job.filled % units_per_page_ == 0) leave_page(job);
}

void Programmer::begin_fetch_packed(ProgramJob& job) {
  if (job.command.origin != Origin::Host) return;
  job.unfetched = packing_->bytes_to_fetch(job);
  job.uncompressed = job.filled - job.gaps - job.copied;
}

// Host data pass through the compressor on their way from the buffer; copies are already compressed.
void Programmer::compress(ProgramJob& job) {
  job.at.fetched = packing_->compressor().compress(job.uncompressed, packing_->granules_of_host(job), job.at.fetched);
  job.uncompressed = 0;
}

}  // namespace flashloom
