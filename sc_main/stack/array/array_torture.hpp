// Repeated power cuts of an array, of all drives at once (AimedTorture): at steps of its writes, resyncs and rebuilds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sc_main/verify/aimed_torture.hpp"

namespace flashloom {

/// `at_step` is indexed by ArrayStep.
struct ArrayTortureCounts : AimedTortureCounts {
  std::uint64_t media_errors = 0;  ///< requests to data that an array without a journal cannot tell from garbage
  std::uint64_t replayed = 0;
  std::uint64_t resynced = 0;
  std::uint64_t rebuilt = 0;
};

class ArrayTorture final : public AimedTorture {
 public:
  /// `seed` determines all random choices. `config` must be validated and have an array; verify is switched on. A drive
  /// fails, and is rebuilt, if the configuration says so.
  ArrayTorture(DeviceConfig config, std::uint64_t seed);

  ArrayTortureCounts counts();

 private:
  class Source;

  std::unique_ptr<SweepingSource> make_source(std::uint64_t seed) override;
  void aim_apart() override;
  std::uint64_t draw_times(std::size_t) override { return 1 + random_.below(40); }
  std::span<const Picoseconds> delays() const override;
  void audit() override;
};

}  // namespace flashloom
