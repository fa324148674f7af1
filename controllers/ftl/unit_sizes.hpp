// A part of an FTL whose mapping units take different room on flash; a device without it has whole units only.
#pragma once

#include <cstdint>

#include "models/onfi/onfi_command.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class BlockTable;
struct ProgramJob;
struct WriteUnit;

/// Sizes are counted in steps; a whole unit has whole() of them, and the spare area of a unit tells its own. Places are
/// numbered as in BlockTable (PhysicalUnit).
class UnitSizes {
 public:
  virtual ~UnitSizes() = default;

  virtual std::uint32_t whole() const = 0;
  /// Steps that the unit with this spare area takes.
  virtual std::uint32_t size(OobWord word) const = 0;
  /// The spare area of a unit about to be written.
  virtual OobWord word_of(const WriteUnit& unit) const = 0;

  // --- Room that valid data take in an erase unit: in steps; in whole units, for comparisons; and in whole units at
  // most when `valid` units are copied in order.
  virtual void add(std::uint32_t block, OobWord word) = 0;
  virtual void remove(std::uint32_t block, OobWord word) = 0;
  virtual std::uint32_t steps(std::uint32_t block) const = 0;
  virtual std::uint32_t units(std::uint32_t block) const = 0;
  virtual std::uint32_t most_units(std::uint32_t block, std::uint32_t valid) const = 0;
  virtual void state(StateArchive& archive) = 0;

  // --- A program unit being filled. Before placing a unit the caller asks whether it fits; if not, the program unit is
  // padded and programmed.
  virtual bool fits(const ProgramJob& job, OobWord word) const = 0;
  virtual bool fits_whole(const ProgramJob& job) const = 0;
  /// Whole units that fit into the rest of it.
  virtual std::uint32_t room(const ProgramJob& job) const = 0;
  /// Whether the unit must go to the job's next page because the page being filled has no room for it.
  virtual bool leaves_page(const ProgramJob& job, OobWord word) const = 0;
  /// Accounts for a unit that got the last place given out; true if its page is now full.
  virtual bool takes(ProgramJob& job, OobWord word) const = 0;
  /// Sets what a job of host data fetches from memory, and, once it is fetched, when it is ready to be programmed.
  virtual void begin_fetch(ProgramJob& job) const = 0;
  virtual void fetched(ProgramJob& job) = 0;

  // --- Reads.
  /// Sets `from` and `bytes` of a read of its `units` units from `first` on.
  virtual void locate(OnfiCommand& read, const BlockTable& blocks, std::uint32_t first) const = 0;
  /// The same for `read.bytes` bytes of the unit at `place`, behind `skipped` bytes.
  virtual void locate_part(OnfiCommand& read, const BlockTable& blocks, std::uint32_t place,
                           std::uint32_t skipped) const = 0;
  /// When units that were decoded at `decoded` are as the host wrote them.
  virtual Picoseconds restored(std::uint32_t units, Picoseconds decoded) = 0;
};

}  // namespace flashloom
