// Where compressed mapping units lie in the pages of a program unit: next fit, page by page. None crosses the end of a
// page, so that each is read with one command; what is left of a page stays empty.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/hardware/compressor.hpp"

namespace flashloom {

/// Byte of its page at which a compressed unit begins, or one that is not, behind such ones.
std::uint32_t byte_of_page(const FtlContext& context, const BlockTable& blocks, const OobLayout& layout,
                           PhysicalUnit place);

/// Sets `from` and `bytes` of a read of bytes of a page, as many as `bytes` says, from `begin` on: all frames that hold
/// some of them.
void move_whole_frames(OnfiCommand& read, const NandGeometry& geometry, std::uint32_t begin);

class Packing {
 public:
  /// `context` is of a device that compresses; it and `layout` outlive this.
  Packing(const FtlContext& context, const OobLayout& layout);

  Compressor& compressor() const { return compressor_; }
  std::uint32_t granules(OobWord word) const { return layout_.granules(word); }
  OobWord word_of(const WriteUnit& unit) const {
    return layout_.encode(unit.unit, unit.version, compressor_.granules(unit.unit, unit.version, unit.stream));
  }

  /// What the next page of the job is for: the one that is being filled has no room for that unit.
  bool leaves_page(const ProgramJob& job, OobWord word) const {
    return job.granules + granules(word) > page_granules_;
  }
  bool fits(const ProgramJob& job, OobWord word) const { return fits(job, granules(word)); }
  bool fits_whole(const ProgramJob& job) const { return fits(job, compressor_.whole()); }
  /// Whole units that fit into the rest of it.
  std::uint32_t room(const ProgramJob& job) const;
  /// A unit has got the last place that was given out; true: the page has no room left.
  bool takes(ProgramJob& job, OobWord word) const {
    job.granules += granules(word);
    return job.granules == page_granules_;
  }

  /// Bytes between buffer and flash for the data of the job: those of the host as they are, copies as they were read.
  std::uint32_t bytes_to_fetch(const ProgramJob& job) const;
  /// Granules of its host data.
  std::uint32_t granules_of_host(const ProgramJob& job) const;

  /// Sets `from` and `bytes` of a read of `units` whose first is at `first`: all frames that hold some of them.
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
