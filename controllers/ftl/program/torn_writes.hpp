// For a drive that tears writes (DriveFaults): records for each host program what a power cut during it leaves on flash
// instead of the new data or a detectably torn page: a page that reads without errors, in which some sectors are new
// and others still old.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "controllers/ftl/program/program_job.hpp"

namespace flashloom {

class DriveFaults;

class TornWrites {
 public:
  TornWrites(const FtlContext& context, const BlockTable& blocks, DriveFaults& faults)
      : context_(context), blocks_(blocks), faults_(faults) {}

  /// The job's unit `index` replaces the data at `old` (or kNoPhysicalUnit). Old data still in flight to flash are not
  /// recorded, since a power cut cannot leave them.
  void placed(const ProgramJob& job, std::uint32_t index, PhysicalUnit old);
  /// Prepares the torn content of a job with all its tokens, about to be programmed.
  void prepare(ProgramJob& job);

 private:
  struct Note {
    std::vector<std::uint32_t> units;  ///< of the job: those with known old content
    std::vector<SectorToken> old;      ///< old content of these, by sector
    std::vector<SectorToken> left;     ///< content left of the whole program unit
    TornContents contents;
  };

  const FtlContext& context_;
  const BlockTable& blocks_;
  DriveFaults& faults_;
  std::map<const ProgramJob*, Note> notes_;  // reused as the jobs are
};

}  // namespace flashloom
