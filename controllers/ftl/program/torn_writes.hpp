// For a drive that tears writes (DriveFaults): notes for each program of host data what a power cut in it leaves, in
// place of the new data or of a page that shows that it is torn: a page that seems fine, in which some sectors of a
// write are there, and others are what they were before it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/program_job.hpp"

namespace flashloom {

class BlockTable;
class DriveFaults;

class TornWrites {
 public:
  TornWrites(const FtlContext& context, const BlockTable& blocks, DriveFaults& faults)
      : context_(context), blocks_(blocks), faults_(faults) {}

  /// The job's unit `index` replaces what lies at `old` (or kNoPhysicalUnit). What is still on its way to flash itself
  /// cannot be left behind.
  void placed(const ProgramJob& job, std::uint32_t index, PhysicalUnit old);
  /// The job has all its tokens, and is about to go its way.
  void prepare(ProgramJob& job);

 private:
  struct Note {
    std::vector<std::uint32_t> units;  ///< of the job: those whose old contents are known
    std::vector<SectorToken> old;      ///< of these, by sector
    std::vector<SectorToken> left;     ///< of the whole program unit
    TornContents contents;
  };

  const FtlContext& context_;
  const BlockTable& blocks_;
  DriveFaults& faults_;
  std::map<const ProgramJob*, Note> notes_;  // jobs are used again, and so are these
};

}  // namespace flashloom
