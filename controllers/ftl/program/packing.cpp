#include "controllers/ftl/program/packing.hpp"

#include <algorithm>

#include "controllers/hardware/hardware.hpp"

namespace flashloom {

std::uint32_t byte_of_page(const FtlContext& context, const BlockTable& blocks, const OobLayout& layout,
                           PhysicalUnit place) {
  const std::uint32_t of_page = blocks.unit_of_page(blocks.offset_in_block(place, blocks.block_of(place)));
  std::uint32_t granules = 0;
  for (PhysicalUnit before = place - of_page; before < place; ++before)
    granules += layout.granules(blocks.programs().word_at(before));
  return granules * context.hardware.compressor()->granule();
}

void move_whole_frames(OnfiCommand& read, const NandGeometry& geometry, std::uint32_t begin) {
  const std::uint32_t frame = geometry.read_frame;
  const std::uint32_t end = (begin + read.bytes + frame - 1) / frame * frame;
  read.from = begin / frame * frame;
  read.bytes = std::min(end, geometry.page_bytes) - read.from;
}

Packing::Packing(const FtlContext& context, const OobLayout& layout)
    : context_(context),
      geometry_(context.geometry),
      layout_(layout),
      compressor_(*context.hardware.compressor()),
      pages_(geometry_.program_pages),
      places_(geometry_.units_per_page),
      page_granules_(geometry_.page_bytes / compressor_.granule()) {}

std::uint32_t Packing::room(const ProgramJob& job) const {
  const std::uint32_t page = job.filled / places_;
  if (page == pages_) return 0;
  const std::uint32_t of_page =
      std::min((page_granules_ - job.granules) / compressor_.whole(), places_ - job.filled % places_);
  return of_page + (pages_ - page - 1) * geometry_.whole_units_per_page;
}

std::uint32_t Packing::granules_of_host(const ProgramJob& job) const {
  std::uint32_t sum = 0;
  for (std::uint32_t index = 0; index < job.filled; ++index)
    if (job.writes[index] != nullptr) sum += granules(job.oob[index]);
  return sum;
}

std::uint32_t Packing::bytes_to_fetch(const ProgramJob& job) const {
  std::uint32_t bytes = 0;
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (job.writes[index] != nullptr)
      bytes += geometry_.unit_bytes;
    else if (layout_.is_data(job.oob[index]))
      bytes += granules(job.oob[index]) * compressor_.granule();
  }
  return bytes;
}

void Packing::move_frames(OnfiCommand& read, const BlockTable& blocks, PhysicalUnit first) const {
  std::uint32_t granules = 0;
  for (PhysicalUnit place = first; place < first + read.units; ++place)
    granules += this->granules(blocks.programs().word_at(place));
  read.bytes = granules * compressor_.granule();
  move_whole_frames(read, geometry_, byte_of_page(context_, blocks, layout_, first));
}

}  // namespace flashloom
