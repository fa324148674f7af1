// RAIN: parity over dies (ftl.rain); when it is programmed, and which data become durable with it.
#pragma once

#include <cstdint>

#include "controllers/ftl/features/rain/stripe_recovery.hpp"
#include "controllers/ftl/features/rain/stripes.hpp"
#include "controllers/ftl/program/redundancy.hpp"

namespace flashloom {

class DieParity final : public Redundancy {
 public:
  DieParity(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, Programmer& programmer,
            FtlStatistics::Rain& statistics);

  std::uint8_t role_of(BlockNumber block) const override { return stripes_.choose(block); }
  bool in_turn(BlockNumber block) const override { return stripes_.in_turn(block); }
  void decided(BlockNumber block, std::uint64_t age) override;
  std::uint32_t decided_pages(BlockNumber block) const override { return stripes_.decided(block); }
  std::uint32_t safe_pages(BlockNumber block) const override { return stripes_.protected_pages(block); }
  std::uint32_t wanted_pages(BlockNumber block) const override { return stripes_.wanted(block); }
  std::uint32_t accumulations() const override { return accumulations_; }
  bool accumulate(ProgramJob& job) override;
  WaitList* before_data(const ProgramJob& job) override;
  void fill(ProgramJob& job) override { recovery_.parity_of(job.block, job.first_page, job.tokens); }
  void done(BlockNumber block) override;
  Task<void> rebuild(OnfiCommand& read) override { return recovery_.recover(read); }
  bool acknowledged(BlockNumber block, std::uint32_t page) const override;
  void recovered() override { stripes_.find_parity(); }

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
