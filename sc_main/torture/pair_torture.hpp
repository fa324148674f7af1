// Power cuts without end of a tier (AimedTorture): an SSD and an HDD with the software that makes one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sc_main/torture/aimed_torture.hpp"

namespace flashloom {

/// `at_step` by TierStep.
struct PairTortureCounts : AimedTortureCounts {
  std::uint64_t orderly = 0;  ///< meant to come after a stop
  std::uint64_t passes = 0;
  std::uint64_t segments_filled = 0;
  std::uint64_t segments_written_back = 0;
  std::uint64_t unreadable_requests = 0;  ///< reads that the SSD could not correct
  std::uint64_t unreadable_blocks = 0;    ///< of the journal, copies that starts could not read
  std::uint64_t lost_requests = 0;        ///< to segments whose newest data went with the SSD
  bool retired = false;                   ///< the SSD is not used any more
};

class PairTorture final : public AimedTorture {
 public:
  /// Everything random comes from `seed`. `config` must be validated and have an HDD; verify is switched on.
  PairTorture(DeviceConfig config, std::uint64_t seed);

  PairTortureCounts counts();

 private:
  class Source;

  static DeviceConfig prepared(DeviceConfig config, std::uint64_t seed);
  std::unique_ptr<SweepingSource> make_source(std::uint64_t seed) override;
  void aim_apart() override;
  void audit() override;
  std::uint64_t draw_times(std::size_t step) override;
  std::span<const Picoseconds> delays() const override;

  Segment moving_ = kNoSegment;  // the last one that a step was of
  std::uint64_t orderly_ = 0;
};

}  // namespace flashloom
