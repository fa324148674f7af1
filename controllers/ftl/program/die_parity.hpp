// Parity over dies (ftl.rain): when it is programmed, and which data become durable with it.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/stripes.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/program/stripe_recovery.hpp"

namespace flashloom {

class Programmer;

class DieParity {
 public:
  DieParity(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, Programmer& programmer,
            FtlStatistics::Rain& statistics);

  const Stripes& stripes() const { return stripes_; }
  /// To be called after a recovery of the FTL.
  void find_parity() { stripes_.find_parity(); }
  /// Tells that all program units given out of an open block are filled, or that no more will be. Parity follows if a
  /// stripe was waiting for this.
  void decided(BlockNumber block, std::uint64_t age);

  /// Memory accesses per program unit of data to accumulate parity.
  std::uint32_t accumulations() const { return accumulations_; }
  /// Reads the stripe's partial parity, adds the unit's data, and writes it back. False: it waits for a memory.
  [[gnu::noinline]] bool accumulate(ProgramJob& job);
  /// What a program unit of parity must wait for before it can be programmed; null if nothing.
  WaitList* before_data(const ProgramJob& job);
  /// Sets the content of a program unit of parity.
  void fill(ProgramJob& job) { recovery_.parity_of(job.block, job.first_page, job.tokens); }
  /// Parity is on flash: data of its stripes may have become safe.
  void done(BlockNumber block);
  /// Rebuilds a completed read that stayed uncorrectable (StripeRecovery).
  Task<void> recover(OnfiCommand& read) { return recovery_.recover(read); }

 private:
  void program(BlockNumber block, std::uint64_t age);

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  FtlStatistics::Rain& statistics_;
  Stripes stripes_;
  StripeRecovery recovery_;
  std::uint32_t accumulations_;
};

}  // namespace flashloom
