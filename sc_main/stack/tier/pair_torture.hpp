// Repeated power cuts of a tier (AimedTorture): an SSD and an HDD, and the software that combines them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "controllers/tier/tier_controller.hpp"
#include "sc_main/verify/aimed_torture.hpp"

namespace flashloom {

/// `at_step` is indexed by TierStep.
struct PairTortureCounts : AimedTortureCounts {
  std::uint64_t orderly = 0;       ///< cuts that were to come after an orderly stop
  std::uint64_t behind_array = 0;  ///< cuts aimed at steps of the array that is the cache
  std::uint64_t passes = 0;
  std::uint64_t segments_filled = 0;
  std::uint64_t segments_written_back = 0;
  std::uint64_t unreadable_requests = 0;  ///< reads that the SSD could not correct
  std::uint64_t unreadable_blocks = 0;    ///< copies of journal blocks that starts could not read
  std::uint64_t lost_requests = 0;        ///< requests to segments whose newest data was lost with the SSD
  bool retired = false;                   ///< the SSD is no longer used
};

class PairTorture final : public AimedTorture {
 public:
  /// `seed` determines all random choices. `config` must be validated and have an HDD; verify is switched on.
  PairTorture(const DeviceConfig& config, std::uint64_t seed);

  PairTortureCounts counts();

 private:
  class Source;

  static DeviceConfig prepared(DeviceConfig config, std::uint64_t seed);
  std::unique_ptr<SweepingSource> make_source(std::uint64_t seed) override;
  void aim_apart() override;
  void audit() override;
  std::uint64_t draw_times(std::size_t step) override;
  std::span<const Picoseconds> delays() const override;

  Segment moving_ = kNoSegment;  // segment of the last step
  std::uint64_t orderly_ = 0;
};

}  // namespace flashloom
