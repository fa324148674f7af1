#include "sc_main/stack/array/array_torture.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {
namespace {

constexpr std::uint32_t kArrayInFlight = 8;
constexpr Picoseconds kArrayStart = 5 * kMillisecond;
constexpr Picoseconds kArraySpacing = 20 * kMillisecond;
constexpr std::uint64_t kArraySweepLength = 256 << 10;
constexpr std::uint64_t kArrayMostStripe = 1 << 20;
// At once, or while the data of a write has reached only some of the drives.
constexpr Picoseconds kArrayDelays[] = {1, 5 * kMicrosecond, 100 * kMicrosecond, kMillisecond};

}  // namespace

class ArrayTorture::Source final : public SweepingSource {
 public:
  Source(ArrayTorture& torture, std::uint64_t seed)
      : SweepingSource(torture.simulation_, torture.cuts_wanted_, torture.simulation_.capacity_bytes(),
                       kArraySweepLength),
        layout_(torture.simulation_.array()->controller().layout()),
        sector_(torture.config_.host_interface.sector_size),
        random_(seed) {}

 private:
  // Most requests are within a few stripes, so that they collide; lengths are from a sector to some stripes.
  void draw(Request& request) override {
    const std::uint64_t capacity = bytes();
    const std::uint64_t kind = random_.below(100);
    request = {.kind = RequestKind::Flush};
    if (kind < 6) return;
    // The stripe of a jbod is the whole array, more than the longest command.
    const std::uint64_t stripe = std::min({layout_.stripe_bytes(), capacity, kArrayMostStripe}) / sector_;
    const std::uint64_t chunk = std::min(layout_.chunk() / sector_, stripe);
    const std::uint64_t sectors = capacity / sector_;
    const std::uint64_t range = random_.chance(0.7) ? std::min(sectors, 8 * stripe) : sectors;
    const std::uint64_t most = random_.chance(0.7) ? chunk : 2 * stripe;
    request.kind = kind < 10 ? RequestKind::Trim : kind < 75 ? RequestKind::Write : RequestKind::Read;
    std::uint64_t length = 1 + random_.below(std::min(most, range));
    std::uint64_t offset = random_.below(range - length + 1);
    if (random_.chance(0.2)) {  // a whole stripe
      offset = offset / stripe * stripe;
      length = std::min(stripe, sectors - offset);
    }
    request.offset = offset * sector_;
    request.length = length * sector_;
    request.fua = request.kind == RequestKind::Write && random_.chance(0.1);
  }

  const ArrayLayout& layout_;
  std::uint64_t sector_;
  Random random_;
};

ArrayTorture::ArrayTorture(DeviceConfig config, std::uint64_t seed)
    : AimedTorture(config_for_cuts(std::move(config), seed, kArraySpacing), kArrayInFlight, kArraySteps) {
  simulation_.part()->on_step([this](std::size_t step, const char* name) { at_step(step, name); });
}

std::unique_ptr<SweepingSource> ArrayTorture::make_source(std::uint64_t seed) {
  return std::make_unique<Source>(*this, seed);
}

void ArrayTorture::aim_apart() {
  if (random_.chance(0.2))  // likely during the start
    simulation_.cut_power_at(kernel_now() + random_.below(kArrayStart));
}

std::span<const Picoseconds> ArrayTorture::delays() const { return kArrayDelays; }

void ArrayTorture::audit() {
  simulation_.quiesce();
  if (simulation_.oracle()->mismatches() == 0) simulation_.audit();
}

ArrayTortureCounts ArrayTorture::counts() {
  ArrayTortureCounts counts{AimedTorture::counts()};
  const ArrayStatistics& statistics = simulation_.array()->controller().statistics();
  counts.media_errors = simulation_.host().statistics().media_errors;
  counts.replayed = statistics.journal_replayed;
  counts.resynced = statistics.stripes_resynced;
  counts.rebuilt = statistics.stripes_rebuilt;
  return counts;
}

}  // namespace flashloom
