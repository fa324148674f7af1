#include "controllers/ftl/features/compression/compressed_units.hpp"

#include <algorithm>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

std::unique_ptr<UnitSizes> CompressedUnits::make(const FtlContext& context) {
  Compressor* const compressor = context.hardware.compressor();
  return compressor == nullptr ? nullptr : std::make_unique<CompressedUnits>(context, *compressor);
}

CompressedUnits::CompressedUnits(const FtlContext& context, Compressor& compressor)
    : geometry_(context.geometry),
      layout_(oob_layout(context, compressor.whole())),
      compressor_(compressor),
      room_(geometry_, compressor.whole()),
      pages_(geometry_.program_pages),
      places_(geometry_.units_per_page),
      page_granules_(geometry_.page_bytes / compressor.granule()) {}

std::uint32_t CompressedUnits::room(const ProgramJob& job) const {
  const std::uint32_t page = job.filled / places_;
  if (page == pages_) return 0;
  const std::uint32_t of_page =
      std::min((page_granules_ - job.steps_of_page) / whole(), places_ - job.filled % places_);
  return of_page + (pages_ - page - 1) * geometry_.whole_units_per_page;
}

// Host data come uncompressed from memory, copies as they were read.
void CompressedUnits::begin_fetch(ProgramJob& job) const {
  job.unfetched = 0;
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (job.writes[index] != nullptr)
      job.unfetched += geometry_.unit_bytes;
    else if (layout_.is_data(job.oob[index]))
      job.unfetched += size(job.oob[index]) * compressor_.granule();
  }
  job.resized = job.filled - job.gaps - job.copied;
}

// Host data pass through the compressor on their way from the buffer.
void CompressedUnits::fetched(ProgramJob& job) {
  std::uint32_t granules = 0;
  for (std::uint32_t index = 0; index < job.filled; ++index)
    if (job.writes[index] != nullptr) granules += size(job.oob[index]);
  job.at.fetched = compressor_.compress(job.resized, granules, job.at.fetched);
}

// Where the unit begins in its page, whether or not it is compressed itself.
std::uint32_t CompressedUnits::byte_of_page(const BlockTable& blocks, PhysicalUnit place) const {
  const std::uint32_t of_page = blocks.unit_of_page(blocks.offset_in_block(place, blocks.block_of(place)));
  std::uint32_t granules = 0;
  for (PhysicalUnit before = place - of_page; before < place; ++before)
    granules += size(blocks.programs().word_at(before));
  return granules * compressor_.granule();
}

// Reads all frames that hold some of the `read.bytes` bytes from `begin` on.
void CompressedUnits::read_frames(OnfiCommand& read, std::uint32_t begin) const {
  const std::uint32_t frame = geometry_.read_frame;
  const std::uint32_t end = (begin + read.bytes + frame - 1) / frame * frame;
  read.from = begin / frame * frame;
  read.bytes = std::min(end, geometry_.page_bytes) - read.from;
}

void CompressedUnits::locate(OnfiCommand& read, const BlockTable& blocks, PhysicalUnit first) const {
  std::uint32_t granules = 0;
  for (PhysicalUnit place = first; place < first + read.units; ++place)
    granules += size(blocks.programs().word_at(place));
  read.bytes = granules * compressor_.granule();
  read_frames(read, byte_of_page(blocks, first));
}

void CompressedUnits::locate_part(OnfiCommand& read, const BlockTable& blocks, PhysicalUnit place,
                                  std::uint32_t skipped) const {
  read_frames(read, byte_of_page(blocks, place) + skipped);
}

}  // namespace flashloom
