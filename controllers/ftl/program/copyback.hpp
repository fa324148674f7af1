// Copyback: a die copies a program unit internally, without its data crossing the channel.
#pragma once

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/program_job.hpp"

namespace flashloom {

class ProgramReads;

class Copyback {
 public:
  Copyback(const FtlContext& context, const BlockTable& blocks, const ProgramReads& reads)
      : context_(context), blocks_(blocks), reads_(reads) {}

  /// Whether the die can copy the program unit internally: all units come from one program unit of the same die, in
  /// order and from the same plane. Excluded: one-shot programs, which take more pages than a page register holds, and
  /// rewritten map units, whose content changes on the way.
  bool can_copy(const ProgramJob& job) const;
  /// The first of the commands by which the die copies: a read of each page, followed by the program.
  OnfiCommand& commands(ProgramJob& job) const;
  /// Throws std::logic_error unless the die has copied what the map says.
  void check(const ProgramJob& job) const;

 private:
  const FtlContext& context_;
  const BlockTable& blocks_;
  const ProgramReads& reads_;
};

}  // namespace flashloom
