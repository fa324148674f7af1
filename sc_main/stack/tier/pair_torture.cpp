#include "sc_main/stack/tier/pair_torture.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "controllers/array/array.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kPairInFlight = 4;
constexpr Picoseconds kMostSpinUp = 10 * kMillisecond;  // with longer ones, most cuts would strike the spin-up
constexpr Picoseconds kStart = 40 * kMillisecond;
constexpr Picoseconds kPairSpacing = 1500 * kMillisecond;
constexpr std::uint64_t kPairSweepLength = 256 << 10;
// At once, or up to some revolutions of the disk later: during any part of the work that the step begins.
constexpr Picoseconds kPairDelays[] = {1, 100 * kMicrosecond, 2 * kMillisecond, 25 * kMillisecond, 25 * kMillisecond};

}  // namespace

// Random requests; now and then begins a maintenance pass.
class PairTorture::Source final : public SweepingSource {
 public:
  Source(PairTorture& torture, std::uint64_t seed)
      : SweepingSource(torture.simulation_, torture.cuts_wanted_, torture.simulation_.capacity_bytes(),
                       kPairSweepLength),
        torture_(torture),
        random_(seed) {}

 private:
  void draw(Request& request) override {
    if (random_.chance(0.03)) torture_.simulation_.tier()->start_pass();
    const std::uint64_t kind = random_.below(100);
    request = {.kind = RequestKind::Flush};
    if (kind < 8) return;
    const std::uint64_t sector = torture_.config_.host_interface.sector_size;
    const std::uint64_t segment = torture_.config_.tier.segment;
    request.kind = kind < 10 ? RequestKind::Trim : kind < 70 ? RequestKind::Write : RequestKind::Read;
    // Most requests go to a region that fits into the SSD; lengths are from a sector to some segments.
    const std::uint64_t sectors = bytes() / sector;
    const std::uint64_t range = random_.chance(0.7) ? std::max(sectors / 8, segment / sector) : sectors;
    const std::uint64_t most = random_.chance(0.8) ? segment / sector : 3 * segment / sector;
    std::uint64_t length = 1 + random_.below(std::min(most, range));
    std::uint64_t offset = random_.below(range - length + 1);
    const std::uint64_t in_segment = segment / sector;
    if (random_.chance(0.2)) {  // a whole segment
      offset = offset / in_segment * in_segment;
      length = in_segment;
    } else if (torture_.moving_ != kNoSegment && random_.chance(0.2)) {  // a segment that is moving between the devices
      length = std::min(length, in_segment);
      offset = torture_.moving_ * in_segment + random_.below(in_segment - length + 1);
    }
    request.offset = offset * sector;
    request.length = length * sector;
    request.fua = request.kind == RequestKind::Write && random_.chance(0.1);
  }

  PairTorture& torture_;
  Random random_;
};

DeviceConfig PairTorture::prepared(DeviceConfig config, std::uint64_t seed) {
  config = config_for_cuts(std::move(config), seed, kPairSpacing);
  config.tier.pass = "command";
  config.tier.shutdown = false;
  config.hdd.spin_up_time = std::min(config.hdd.spin_up_time, kMostSpinUp);
  return config;
}

PairTorture::PairTorture(const DeviceConfig& config, std::uint64_t seed)
    : AimedTorture(prepared(config, seed), kPairInFlight, kTierSteps + (config.array.present() ? kArraySteps : 0)) {
  simulation_.tier()->on_step([this](TierStep step, Segment segment) {
    if (segment != kNoSegment) moving_ = segment;
    at_step(static_cast<std::size_t>(step), to_string(step));
  });
  simulation_.part()->on_step([this](std::size_t step, const char* name) { at_step(kTierSteps + step, name); });
}

std::unique_ptr<SweepingSource> PairTorture::make_source(std::uint64_t seed) {
  return std::make_unique<Source>(*this, seed);
}

void PairTorture::aim_apart() {
  if (random_.chance(0.2)) {  // likely during the start
    simulation_.cut_power_at(kernel_now() + config_.hdd.spin_up_time + random_.below(kStart));
  } else if (random_.chance(0.1)) {
    simulation_.cut_power_at(kernel_now() + config_.power.cut_spacing, true);
    ++orderly_;
  }
}

// Requests may fail, and the SSD be retired, only if an SSD could not read or write data.
void PairTorture::audit() {
  bool unreadable = simulation_.part()->reads_may_fail();
  for (const Ssd* const drive : simulation_.drives())
    if (const EccEngine* const ecc = drive->ecc(); ecc != nullptr)
      unreadable = unreadable || ecc->statistics().uncorrectable_total() != 0 || ecc->statistics().lost_units != 0;
  if (simulation_.host().statistics().media_errors != 0 && !unreadable)
    throw std::runtime_error("reads have failed, and the SSD could read everything");
  simulation_.quiesce();
  if (simulation_.oracle()->mismatches() == 0) simulation_.audit();
}

std::uint64_t PairTorture::draw_times(std::size_t step) {
  if (step >= kTierSteps) return 1 + random_.below(40);
  const auto which = static_cast<TierStep>(step);
  return 1 + random_.below(which == TierStep::PassBegin || which == TierStep::PassEnd ? 2 : 12);
}

std::span<const Picoseconds> PairTorture::delays() const { return kPairDelays; }

PairTortureCounts PairTorture::counts() {
  PairTortureCounts counts{AimedTorture::counts()};
  const TierStatistics& statistics = simulation_.tier()->statistics();
  counts.orderly = orderly_;
  counts.behind_array = std::accumulate(counts.at_step.begin() + kTierSteps, counts.at_step.end(), std::uint64_t{0});
  counts.passes = statistics.passes.size();
  counts.segments_filled = statistics.filled_segments;
  counts.unreadable_requests = statistics.unreadable_requests;
  counts.unreadable_blocks = statistics.metadata.unreadable_blocks;
  counts.lost_requests = statistics.lost_requests;
  counts.retired = simulation_.tier()->tier()->retired();
  counts.segments_written_back = statistics.written_back_segments;
  return counts;
}

}  // namespace flashloom
