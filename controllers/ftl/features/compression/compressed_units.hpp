// Units that the compressor has made smaller, packed next fit into the pages of a program unit. No unit crosses the end
// of a page, so one command reads it; the rest of a page stays empty.
#pragma once

#include <cstdint>
#include <memory>

#include "controllers/ftl/features/compression/compressed_room.hpp"
#include "controllers/ftl/features/compression/compressor.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/unit_sizes.hpp"

namespace flashloom {

class CompressedUnits final : public UnitSizes {
 public:
  /// Null if the device has no compressor.
  static std::unique_ptr<UnitSizes> make(const FtlContext& context);
  CompressedUnits(const FtlContext& context, Compressor& compressor);

  std::uint32_t whole() const override { return compressor_.whole(); }
  std::uint32_t size(OobWord word) const override { return layout_.steps(word); }
  OobWord word_of(const WriteUnit& unit) const override {
    return layout_.encode(unit.unit, unit.version, compressor_.granules(unit.unit, unit.version, unit.stream));
  }

  void add(std::uint32_t block, OobWord word) override { room_.add(block, size(word)); }
  void remove(std::uint32_t block, OobWord word) override { room_.remove(block, size(word)); }
  std::uint32_t steps(std::uint32_t block) const override { return room_.granules(block); }
  std::uint32_t units(std::uint32_t block) const override { return room_.units(block); }
  std::uint32_t most_units(std::uint32_t block, std::uint32_t valid) const override {
    return room_.most_units(block, valid);
  }
  void state(StateArchive& archive) override { room_.state(archive); }

  bool fits(const ProgramJob& job, OobWord word) const override { return has_room(job, size(word)); }
  bool fits_whole(const ProgramJob& job) const override { return has_room(job, whole()); }
  std::uint32_t room(const ProgramJob& job) const override;
  bool leaves_page(const ProgramJob& job, OobWord word) const override {
    return job.steps_of_page + size(word) > page_granules_;
  }
  bool takes(ProgramJob& job, OobWord word) const override {
    job.steps_of_page += size(word);
    return job.steps_of_page == page_granules_;
  }
  void begin_fetch(ProgramJob& job) const override;
  void fetched(ProgramJob& job) override;

  void locate(OnfiCommand& read, const BlockTable& blocks, PhysicalUnit first) const override;
  void locate_part(OnfiCommand& read, const BlockTable& blocks, PhysicalUnit place,
                   std::uint32_t skipped) const override;
  Picoseconds restored(std::uint32_t units, Picoseconds decoded) override {
    return compressor_.decompress(units, decoded);
  }

 private:
  bool has_room(const ProgramJob& job, std::uint32_t granules) const {
    const std::uint32_t page = job.filled / places_;
    return page + 1 < pages_ || (page < pages_ && job.steps_of_page + granules <= page_granules_);
  }
  std::uint32_t byte_of_page(const BlockTable& blocks, PhysicalUnit place) const;
  void read_frames(OnfiCommand& read, std::uint32_t begin) const;

  const NandGeometry& geometry_;
  const OobLayout layout_;
  Compressor& compressor_;
  CompressedRoom room_;
  std::uint32_t pages_;   // of a program unit
  std::uint32_t places_;  // of a page
  std::uint32_t page_granules_;
};

}  // namespace flashloom
