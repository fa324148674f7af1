#include "sc_main/torture/array_torture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kArrayInFlight = 8;
constexpr Picoseconds kArrayStart = 5 * kMillisecond;
constexpr Picoseconds kArraySpacing = 20 * kMillisecond;
constexpr std::uint64_t kArrayManyCuts = 1'000'000;
constexpr std::uint64_t kArraySweepLength = 256 << 10;
constexpr std::uint64_t kArrayMostStripe = 1 << 20;

}  // namespace

// Reads everything after each start, then random requests.
class ArrayTorture::Source final : public RequestSource {
 public:
  Source(ArrayTorture& torture, std::uint64_t seed) : torture_(torture), random_(seed) {}

  bool next(Request& request) override {
    const std::uint64_t capacity = torture_.simulation_.capacity_bytes();
    if (torture_.simulation_.oracle()->mismatches() != 0) return false;
    if (swept_ < capacity) {
      request = {.offset = swept_, .length = std::min(kArraySweepLength, capacity - swept_), .kind = RequestKind::Read};
      swept_ += request.length;
      return true;
    }
    if (interrupted()) torture_.cuts_wanted_ = 0;
    if (torture_.simulation_.power_cuts().size() >= torture_.cuts_wanted_) return false;
    request = draw(capacity);
    return true;
  }
  bool timed() const override { return false; }
  void sweep() { swept_ = 0; }

 private:
  // Most of them in a part of some stripes, so that they meet; of a sector up to some stripes.
  Request draw(std::uint64_t capacity) {
    const std::uint64_t kind = random_.below(100);
    if (kind < 6) return {.kind = RequestKind::Flush};
    const std::uint64_t sector = torture_.config_.host_interface.sector_size;
    const ArrayLayout& layout = torture_.simulation_.array()->controller().layout();
    // Of a jbod a stripe is all of it, and more than a command can have.
    const std::uint64_t stripe = std::min({layout.stripe_bytes(), capacity, kArrayMostStripe}) / sector;
    const std::uint64_t chunk = std::min(layout.chunk() / sector, stripe);
    const std::uint64_t sectors = capacity / sector;
    const std::uint64_t range = random_.chance(0.7) ? std::min(sectors, 8 * stripe) : sectors;
    const std::uint64_t most = random_.chance(0.7) ? chunk : 2 * stripe;
    Request request{.kind = kind < 10 ? RequestKind::Trim : kind < 75 ? RequestKind::Write : RequestKind::Read};
    std::uint64_t length = 1 + random_.below(std::min(most, range));
    std::uint64_t offset = random_.below(range - length + 1);
    if (random_.chance(0.2)) {  // a whole stripe
      offset = offset / stripe * stripe;
      length = std::min(stripe, sectors - offset);
    }
    request.offset = offset * sector;
    request.length = length * sector;
    request.fua = request.kind == RequestKind::Write && random_.chance(0.1);
    return request;
  }

  ArrayTorture& torture_;
  Random random_;
  std::uint64_t swept_ = ~std::uint64_t{0};
};

DeviceConfig ArrayTorture::prepared(DeviceConfig config, std::uint64_t seed) {
  config.verify = true;
  config.seed = seed;
  config.power.cut_at = 0;
  config.power.cuts = kArrayManyCuts;
  if (config.power.cut_spacing == 0) config.power.cut_spacing = kArraySpacing;
  return config;
}

ArrayTorture::ArrayTorture(DeviceConfig config, std::uint64_t seed)
    : config_(prepared(std::move(config), seed)),
      random_(seed),
      simulation_(config_),
      history_(std::make_unique<RequestHistory>(failure_.history)) {
  failure_.seed = seed;
  simulation_.host().attach(*history_);
  simulation_.array()->controller().on_step([this](ArrayStep step) { at_step(step); });
  simulation_.on_power_back([this] {
    struck();
    aim();
  });
  simulation_.on_mounted([this] {
    history_->note(fmt::format("{} ps: mounted", kernel_now()));
    source_->sweep();
  });
}

ArrayTorture::~ArrayTorture() = default;

// Half of the cuts come at any instant, which Supply has drawn; the others soon after some step of the array.
void ArrayTorture::aim() {
  if (simulation_.power_cuts().size() >= cuts_wanted_) {
    aimed_ = false;
    return simulation_.cut_power_at(kNever);
  }
  aimed_ = random_.chance(0.5);
  if (!aimed_) {
    if (random_.chance(0.2))  // in the start, likely
      simulation_.cut_power_at(kernel_now() + random_.below(kArrayStart));
    return;
  }
  target_ = static_cast<ArrayStep>(random_.below(kArraySteps));
  steps_left_ = 1 + random_.below(40);
  simulation_.cut_power_at(kernel_now() + 8 * config_.power.cut_spacing);  // if that many do not come
}

void ArrayTorture::at_step(ArrayStep step) {
  if (!aimed_ || step != target_ || steps_left_ == 0 || --steps_left_ != 0) return;
  // At once, or while some of the drives have what is written, and others have not.
  constexpr Picoseconds kMost[] = {1, 5 * kMicrosecond, 100 * kMicrosecond, kMillisecond};
  simulation_.cut_power_at(kernel_now() + random_.below(kMost[random_.below(std::size(kMost))]));
  history_->note(fmt::format("{} ps: {}", kernel_now(), to_string(step)));
  ++counts_.at_step[static_cast<std::size_t>(step)];
}

void ArrayTorture::struck() {
  const PowerCut& cut = simulation_.power_cuts().back();
  counts_.in_start += cut.in_mount ? 1 : 0;
  failure_.struck = fmt::format("at {} ps{}", cut.at, cut.in_mount ? ", in a start" : "");
  history_->note(fmt::format("cut {} {}", simulation_.power_cuts().size(), failure_.struck));
}

bool ArrayTorture::run(std::uint64_t cuts) {
  cuts_wanted_ = cuts;
  auto source = std::make_unique<Source>(*this, random_.next());
  source_ = source.get();
  std::vector<HostJob> jobs(1);
  jobs[0].name = "torture";
  jobs[0].source = std::move(source);
  jobs[0].iodepth = kArrayInFlight;
  try {
    simulation_.run(std::move(jobs));
    simulation_.quiesce();
    if (simulation_.oracle()->mismatches() == 0) simulation_.audit();
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

ArrayTortureCounts ArrayTorture::counts() {
  ArrayTortureCounts counts = counts_;
  const ArrayStatistics& statistics = simulation_.array()->controller().statistics();
  const HostStatistics host = simulation_.host().statistics();
  counts.cuts = simulation_.power_cuts().size();
  counts.requests = host.completions;
  counts.media_errors = host.media_errors;
  counts.sectors_checked = simulation_.oracle()->reads_checked();
  counts.replayed = statistics.journal_replayed;
  counts.resynced = statistics.stripes_resynced;
  counts.rebuilt = statistics.stripes_rebuilt;
  return counts;
}

}  // namespace flashloom
