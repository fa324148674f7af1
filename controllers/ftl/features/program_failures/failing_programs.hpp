// Failing programs: where their data go. They are programmed at the failing place first; when the status is known, they
// are fetched from the buffer again and programmed at their own place, the only one that the map knows.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/program/failure_handler.hpp"

namespace flashloom {

class FailingPrograms final : public FailureHandler {
 public:
  FailingPrograms(const FtlContext& context, BlockTable& blocks, Programmer& programmer,
                  const FtlStatistics& statistics);

  bool fails_next(Writer writer, BlockNumber block) override;
  void try_first(Writer writer, ProgramJob& job) override;
  void try_padding(Writer writer, Origin origin) override;
  bool any_to_try(Writer writer, BlockNumber block) const override;
  bool number(BlockNumber block) override;
  WaitList* before_try(ProgramJob& job) override;
  void submit_try(ProgramJob& job) override;
  void tried(ProgramJob& job) override;
  bool needs(const ProgramJob& job, BlockNumber old) const override;
  void state(StateArchive& archive, Writer first, std::uint32_t count) override;

 private:
  using Failures = std::vector<FailedProgram>;
  Failures& of(Writer writer) {
    if (writer >= to_try_.size()) to_try_.resize(writer + 1);
    return to_try_[writer];
  }
  bool fails(BlockNumber block);
  bool needs(BlockNumber failed, BlockNumber old) const;

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const FtlStatistics& statistics_;
  std::uint64_t failed_program_;  // number of the program that is to fail; 0: none, or already failed
  std::vector<Failures> to_try_;  // by writer
};

}  // namespace flashloom
