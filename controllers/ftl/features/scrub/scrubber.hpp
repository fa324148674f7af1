// Scrubbing: data of blocks whose reads tell that they will soon be uncorrectable (EccEngine) move to other blocks.
#pragma once

#include <cstdint>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

class Scrubber final : public VictimSource, private WeakBlocks {
 public:
  Scrubber(Collector& collector, EccEngine& ecc);
  ~Scrubber() override;

  bool wants(std::uint32_t group) const override { return queue_.any(group); }
  Task<bool> begin(std::uint32_t group) override;
  bool may_begin_idle(std::uint32_t group) const override {
    return queue_.any(group) && collector_.can_open_apart(group);
  }
  bool waits_for_space(std::uint32_t group) const override { return queue_.any(group); }
  void state(StateArchive& archive) override { archive(queue_); }

 private:
  void weak(Die die, Block block) override;

  EccEngine& ecc_;
  VictimQueue queue_;
};

}  // namespace flashloom
