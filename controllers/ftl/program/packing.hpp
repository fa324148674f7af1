// Places compressed mapping units in the pages of a program unit, next fit, page by page. No unit crosses the end of a
// page, so one command reads it; the rest of a page stays empty.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/hardware/compressor.hpp"

namespace flashloom {

/// Byte offset in its page of the unit at `place`, whether it is compressed or follows compressed units.
std::uint32_t byte_of_page(const FtlContext& context, const BlockTable& blocks, const OobLayout& layout,
                           PhysicalUnit place);

/// Turns a read of `read.bytes` bytes of a page, from byte `begin` on, into a read of all frames that hold some of them
/// (`from` and `bytes`).
void move_whole_frames(OnfiCommand& read, const NandGeometry& geometry, std::uint32_t begin);

class Packing {
 public:
  /// `context`: of a device that compresses. `context` and `layout` must outlive this object.
  Packing(const FtlContext& context, const OobLayout& layout);

  Compressor& compressor() const { return compressor_; }
  std::uint32_t granules(OobWord word) const { return layout_.granules(word); }
  OobWord word_of(const WriteUnit& unit) const {
    return layout_.encode(unit.unit, unit.version, compressor_.granules(unit.unit, unit.version, unit.stream));
  }

  /// Whether the unit must go to the job's next page because the page being filled has no room for it.
  bool leaves_page(const ProgramJob& job, OobWord word) const { return job.granules + granules(word) > page_granules_; }
  bool fits(const ProgramJob& job, OobWord word) const { return fits(job, granules(word)); }
  bool fits_whole(const ProgramJob& job) const { return fits(job, compressor_.whole()); }
  /// Uncompressed units that fit into the rest of the job.
  std::uint32_t room(const ProgramJob& job) const;
  /// Accounts for a unit that got the last place given out; true if its page is now full.
  bool takes(ProgramJob& job, OobWord word) const {
    job.granules += granules(word);
    return job.granules == page_granules_;
  }

  /// Bytes fetched from memory for the job: host data uncompressed, copies as they were read.
  std::uint32_t bytes_to_fetch(const ProgramJob& job) const;
  /// Granules of the job's host data.
  std::uint32_t granules_of_host(const ProgramJob& job) const;

  /// Sets `from` and `bytes` of a read of `units` units from `first` on: all frames that hold some of them.
  void move_frames(OnfiCommand& read, const BlockTable& blocks, PhysicalUnit first) const;

 private:
  bool fits(const ProgramJob& job, std::uint32_t granules) const {
    const std::uint32_t page = job.filled / places_;
    return page + 1 < pages_ || (page < pages_ && job.granules + granules <= page_granules_);
  }

  const FtlContext& context_;
  const NandGeometry& geometry_;
  const OobLayout& layout_;
  Compressor& compressor_;
  std::uint32_t pages_;   // of a program unit
  std::uint32_t places_;  // of a page
  std::uint32_t page_granules_;
};

}  // namespace flashloom
