// A part of an FTL that protects data by more program units on other dies of their group (parity); most devices have
// none.
#pragma once

#include <cstdint>
#include <memory>

#include "controllers/ftl/program/program_job.hpp"

namespace flashloom {

class Programmer;

/// Blocks of data and of redundancy are opened, written and collected together. Data are safe once what protects them
/// is on flash.
class Redundancy {
 public:
  virtual ~Redundancy() = default;

  // --- GC units being written.
  /// What a member of a GC unit being opened will hold: 0 data, else a kind of redundancy (BlockInfo::parity).
  virtual std::uint8_t role_of(BlockNumber block) const = 0;
  /// Whether the block's program unit may be next.
  virtual bool in_turn(BlockNumber block) const = 0;
  /// Tells that all program units given out of an open block are filled, or that no more will be. Redundancy follows if
  /// it was waiting for this.
  virtual void decided(BlockNumber block, std::uint64_t age) = 0;

  // --- Which data are safe: leading pages of a block whose redundancy is decided upon, or on flash; pages that the
  // block must have given out so that all its data can become safe.
  virtual std::uint32_t decided_pages(BlockNumber block) const = 0;
  virtual std::uint32_t safe_pages(BlockNumber block) const = 0;
  virtual std::uint32_t wanted_pages(BlockNumber block) const = 0;

  // --- Program units: how many memory accesses gather the redundancy of one of data; for one of redundancy
  // (ProgramJob::parity), its content, what it waits for, and that it is on flash.
  virtual std::uint32_t accumulations() const = 0;
  /// Carries out the accesses that the job has left. False: it waits for a memory.
  virtual bool accumulate(ProgramJob& job) = 0;
  virtual WaitList* before_data(const ProgramJob& job) = 0;
  virtual void fill(ProgramJob& job) = 0;
  virtual void done(BlockNumber block) = 0;

  // --- Reads and mounts.
  /// Rebuilds a completed data read that stayed uncorrectable; sets its status to Good, with tokens and out-of-band
  /// words, or Uncorrectable.
  virtual Task<void> rebuild(OnfiCommand& read) = 0;
  /// For a mount: whether data of the page were ever acknowledged.
  virtual bool acknowledged(BlockNumber block, std::uint32_t page) const = 0;
  /// To be called after a recovery of the FTL.
  virtual void recovered() = 0;
};

/// The device's redundancy, null if it has none. Defined by the feature.
std::unique_ptr<Redundancy> make_redundancy(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                                            Programmer& programmer, FtlStatistics& statistics);

}  // namespace flashloom
