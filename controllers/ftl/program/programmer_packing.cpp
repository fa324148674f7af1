// Program units of compressed data (Packing).
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

void Programmer::leave_page(ProgramJob& job) {
  while (job.filled % units_per_page_ != 0) place_gap(job, layout_.padding());
  job.granules = 0;
}

void Programmer::take_room(ProgramJob& job, OobWord word) {
  if (packing_->takes(job, word) || job.filled % units_per_page_ == 0) leave_page(job);
}

void Programmer::begin_fetch(ProgramJob& job) {
  job.piece = 0;
  job.uncompressed = 0;
  job.unfetched = job.inside || (job.parity && accumulations_ == 0) ? 0 : job.command.bytes;
  if (packing_ == nullptr || job.command.origin != Origin::Host) [[likely]]
    return;
  job.unfetched = packing_->bytes_to_fetch(job);
  job.uncompressed = job.filled - job.gaps - job.copied;
}

// What the host has written goes through the engine on its way from the buffer; copies are compressed.
void Programmer::compress(ProgramJob& job) {
  job.at.fetched = packing_->compressor().compress(job.uncompressed, packing_->granules_of_host(job), job.at.fetched);
  job.uncompressed = 0;
}

}  // namespace flashloom
