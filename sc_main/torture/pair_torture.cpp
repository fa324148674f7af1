#include "sc_main/torture/pair_torture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kPairInFlight = 4;
constexpr Picoseconds kMostSpinUp = 10 * kMillisecond;  // else most cuts would strike it
constexpr Picoseconds kStart = 40 * kMillisecond;
constexpr std::uint64_t kPairManyCuts = 1'000'000;
constexpr std::uint64_t kPairSweepLength = 256 << 10;

}  // namespace

// Reads everything after each start; then random requests, and now and then a pass.
class PairTorture::Source final : public RequestSource {
 public:
  Source(PairTorture& torture, std::uint64_t seed) : torture_(torture), random_(seed) {}

  bool next(Request& request) override {
    const std::uint64_t capacity = torture_.simulation_.capacity_bytes();
    if (torture_.simulation_.oracle()->mismatches() != 0) return false;
    if (swept_ < capacity) {
      request = {.offset = swept_, .length = std::min(kPairSweepLength, capacity - swept_), .kind = RequestKind::Read};
      swept_ += request.length;
      return true;
    }
    if (interrupted()) torture_.cuts_wanted_ = 0;
    if (torture_.simulation_.power_cuts().size() >= torture_.cuts_wanted_) return false;
    if (random_.chance(0.03)) torture_.simulation_.tier()->start_pass();
    request = draw(capacity);
    return true;
  }
  bool timed() const override { return false; }
  void sweep() { swept_ = 0; }

 private:
  Request draw(std::uint64_t capacity) {
    const std::uint64_t kind = random_.below(100);
    if (kind < 8) return {.kind = RequestKind::Flush};
    const std::uint64_t sector = torture_.config_.host_interface.sector_size;
    const std::uint64_t segment = torture_.config_.tier.segment;
    Request request{.kind = kind < 10 ? RequestKind::Trim : kind < 70 ? RequestKind::Write : RequestKind::Read};
    // Most of them in a part that the SSD has room for, of a few sectors up to some segments.
    const std::uint64_t sectors = capacity / sector;
    const std::uint64_t range = random_.chance(0.7) ? std::max(sectors / 8, segment / sector) : sectors;
    const std::uint64_t most = random_.chance(0.8) ? segment / sector : 3 * segment / sector;
    std::uint64_t length = 1 + random_.below(std::min(most, range));
    std::uint64_t offset = random_.below(range - length + 1);
    const std::uint64_t in_segment = segment / sector;
    if (random_.chance(0.2)) {  // a whole segment
      offset = offset / in_segment * in_segment;
      length = in_segment;
    } else if (torture_.moving_ != kNoSegment && random_.chance(0.2)) {  // what is on its way between the devices
      length = std::min(length, in_segment);
      offset = torture_.moving_ * in_segment + random_.below(in_segment - length + 1);
    }
    request.offset = offset * sector;
    request.length = length * sector;
    request.fua = request.kind == RequestKind::Write && random_.chance(0.1);
    return request;
  }

  PairTorture& torture_;
  Random random_;
  std::uint64_t swept_ = ~std::uint64_t{0};
};

DeviceConfig PairTorture::prepared(DeviceConfig config, std::uint64_t seed) {
  config.verify = true;
  config.seed = seed;
  config.power.cut_at = 0;
  config.power.cuts = kPairManyCuts;
  if (config.power.cut_spacing == 0) config.power.cut_spacing = 1500 * kMillisecond;
  config.tier.pass = "command";
  config.tier.shutdown = false;
  config.hdd.spin_up_time = std::min(config.hdd.spin_up_time, kMostSpinUp);
  return config;
}

PairTorture::PairTorture(DeviceConfig config, std::uint64_t seed)
    : config_(prepared(std::move(config), seed)),
      random_(seed),
      simulation_(config_),
      history_(std::make_unique<RequestHistory>(failure_.history)) {
  failure_.seed = seed;
  simulation_.host().attach(*history_);
  simulation_.tier()->on_step([this](TierStep step, Segment segment) { at_step(step, segment); });
  simulation_.on_power_back([this] {
    struck();
    aim();
  });
  simulation_.on_mounted([this] {
    history_->note(fmt::format("{} ps: mounted", kernel_now()));
    source_->sweep();
  });
}

PairTorture::~PairTorture() = default;

// Half of the cuts come at any instant, which Supply has drawn; the others soon after some step of the tier, which may
// be one of the start that is under way.
void PairTorture::aim() {
  if (simulation_.power_cuts().size() >= cuts_wanted_) {
    aimed_ = false;
    return simulation_.cut_power_at(kNever);
  }
  aimed_ = random_.chance(0.5);
  if (!aimed_) {
    if (random_.chance(0.2)) {  // in the start, likely
      simulation_.cut_power_at(kernel_now() + config_.hdd.spin_up_time + random_.below(kStart));
    } else if (random_.chance(0.1)) {
      simulation_.cut_power_at(kernel_now() + config_.power.cut_spacing, true);
      ++counts_.orderly;
    }
    return;
  }
  target_ = static_cast<TierStep>(random_.below(kTierSteps));
  steps_left_ = 1 + random_.below(target_ == TierStep::PassBegin || target_ == TierStep::PassEnd ? 2 : 12);
  // If that many do not come.
  simulation_.cut_power_at(kernel_now() + 8 * config_.power.cut_spacing);
}

void PairTorture::at_step(TierStep step, Segment segment) {
  if (segment != kNoSegment) moving_ = segment;
  if (!aimed_ || step != target_ || steps_left_ == 0 || --steps_left_ != 0) return;
  // At once, or up to some revolutions of the disk later: in any piece of what the step begins.
  constexpr Picoseconds kMost[] = {1, 100 * kMicrosecond, 2 * kMillisecond, 25 * kMillisecond, 25 * kMillisecond};
  const Picoseconds most = kMost[random_.below(std::size(kMost))];
  simulation_.cut_power_at(kernel_now() + random_.below(most));
  history_->note(fmt::format("{} ps: {}", kernel_now(), to_string(step)));
  ++counts_.at_step[static_cast<std::size_t>(step)];
}

void PairTorture::struck() {
  const PowerCut& cut = simulation_.power_cuts().back();
  counts_.in_start += cut.in_mount ? 1 : 0;
  failure_.struck = fmt::format("at {} ps{}", cut.at, cut.in_mount ? ", in a start" : "");
  history_->note(fmt::format("cut {} {}", simulation_.power_cuts().size(), failure_.struck));
}

bool PairTorture::run(std::uint64_t cuts) {
  cuts_wanted_ = cuts;
  auto source = std::make_unique<Source>(*this, random_.next());
  source_ = source.get();
  std::vector<HostJob> jobs(1);
  jobs[0].name = "torture";
  jobs[0].source = std::move(source);
  jobs[0].iodepth = kPairInFlight;
  try {
    simulation_.run(std::move(jobs));
    if (simulation_.oracle()->mismatches() != 0) throw std::runtime_error(simulation_.oracle()->first_mismatch());
    if (simulation_.power_cuts().size() < cuts && !interrupted())
      throw std::logic_error("the run ended before the last cut");
    return true;
  } catch (const std::exception& error) {
    failure_.what = error.what();
    failure_.cut = simulation_.power_cuts().size();
    return false;
  }
}

PairTortureCounts PairTorture::counts() {
  PairTortureCounts counts = counts_;
  const TierStatistics& statistics = simulation_.tier()->statistics();
  counts.cuts = simulation_.power_cuts().size();
  counts.requests = simulation_.host().statistics().completions;
  counts.sectors_checked = simulation_.oracle()->reads_checked();
  counts.passes = statistics.passes.size();
  counts.segments_filled = statistics.filled_segments;
  counts.segments_written_back = statistics.written_back_segments;
  return counts;
}

}  // namespace flashloom
