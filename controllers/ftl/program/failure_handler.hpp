// A part of an FTL that gives the data of programs that fail another place; devices whose programs cannot fail have
// none.
#pragma once

#include <cstdint>
#include <memory>

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/program/program_observer.hpp"

namespace flashloom {

class Programmer;

/// As elsewhere, decisions precede flash operations: the next program unit is begun elsewhere at once, and waits for
/// the status of the failing one (ProgramJob::failures).
class FailureHandler {
 public:
  /// Who fills one program unit after the other: a stream, or the copies of a group.
  using Writer = std::uint32_t;

  virtual ~FailureHandler() = default;
  /// `observer` hears of blocks that are closed because a program failed in them.
  void attach(CloseObserver& observer) { observer_ = &observer; }

  // --- Before a program unit is begun.
  /// Whether the next program unit of the writer's open block fails. If so it is given out, and the block is open no
  /// more: the writer begins the next one elsewhere.
  virtual bool fails_next(Writer writer, BlockNumber block) = 0;
  /// The writer has begun `job`: its data are tried first where the writer's programs fail. Those blocks are closed, so
  /// they may be collected from now on.
  virtual void try_first(Writer writer, ProgramJob& job) = 0;
  /// Tries padding there, when no other data are to be programmed.
  virtual void try_padding(Writer writer, Origin origin) = 0;
  /// Whether a failing program of the writer is yet to be tried; in `block`, if given.
  virtual bool any_to_try(Writer writer, BlockNumber block = kNoBlockNumber) const = 0;
  /// Tells that the next program number is given to a program unit in `block`, whatever it holds. Whether it fails.
  virtual bool number(BlockNumber block) = 0;

  // --- A job with failures.
  /// What it must wait for before its first attempt may enter the die's queue; null if nothing: then its command is
  /// built.
  virtual WaitList* before_try(ProgramJob& job) = 0;
  virtual void submit_try(ProgramJob& job) = 0;
  /// The status of the attempt is known.
  virtual void tried(ProgramJob& job) = 0;
  /// Whether its attempts must be on flash before `old` can be erased.
  virtual bool needs(const ProgramJob& job, BlockNumber old) const = 0;

  /// Saved states: of `count` writers.
  virtual void state(StateArchive& archive, Writer first, std::uint32_t count) = 0;

 protected:
  CloseObserver* observer_ = nullptr;
};

/// The device's handler, null if no program fails. Defined by the feature.
std::unique_ptr<FailureHandler> make_failure_handler(const FtlContext& context, BlockTable& blocks,
                                                     Programmer& programmer, const FtlStatistics& statistics);

}  // namespace flashloom
