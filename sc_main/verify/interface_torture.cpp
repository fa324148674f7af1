#include "sc_main/verify/interface_torture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "sc_main/verify/random_placement.hpp"
#include "sc_main/verify/request_history.hpp"
#include "sc_main/verify/sweeping_source.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kInterfaceInFlight = 8;  // per queue
constexpr std::uint64_t kInterfaceSweepLength = 128 << 10;
constexpr std::uint32_t kMostSwept = 8;  // ranges of a trim, at most
constexpr Picoseconds kSpacing = 20 * kMillisecond;

}  // namespace

class InterfaceTorture::Source final : public SweepingSource {
 public:
  Source(InterfaceTorture& torture, std::uint64_t bytes, std::uint64_t seed)
      : SweepingSource(torture.simulation_, torture.cuts_wanted_, bytes, kInterfaceSweepLength),
        sector_(torture.config_.host_interface.sector_size),
        unit_(torture.config_.ftl.mapping_unit),
        fdp_(torture.config_.ftl.fdp),
        random_(seed) {}

 private:
  void draw(Request& request) override {
    request = {};
    const std::uint64_t kind = random_.below(100);
    request.kind = kind < 5    ? RequestKind::Flush
                   : kind < 15 ? RequestKind::Trim
                   : kind < 25 ? RequestKind::WriteZeroes
                   : kind < 70 ? RequestKind::Write
                               : RequestKind::Read;
    place_at_random(request, fdp_, random_);
    if (request.kind == RequestKind::Flush) return;
    const RequestRange range = place();
    request.offset = range.offset;
    request.length = range.length;
    request.fua = request.kind == RequestKind::Write && random_.chance(0.1);
    if (request.kind != RequestKind::Trim || !random_.chance(0.5)) return;
    ranges_.assign(1, range);
    for (std::uint64_t more = random_.below(kMostSwept); more != 0; --more) ranges_.push_back(place());
    request.length = 0;
    for (const RequestRange& each : ranges_) request.length += each.length;
    request.ranges = ranges_.data();
    request.range_count = static_cast<std::uint16_t>(ranges_.size());
  }

  // One sector or more, mostly few; half of the requests go to the first sixteenth of the device, so that they overlap.
  RequestRange place() {
    const std::uint64_t sectors = bytes() / sector_;
    const std::uint64_t range = random_.chance(0.5) ? std::max<std::uint64_t>(sectors / 16, 1) : sectors;
    const std::uint64_t most = std::min<std::uint64_t>(range, (random_.chance(0.8) ? 4 : 32) * unit_ / sector_);
    std::uint64_t length = 1 + random_.below(most);
    std::uint64_t offset = random_.below(range - length + 1);
    if (random_.chance(0.5)) {  // whole units
      const std::uint64_t in_unit = unit_ / sector_;
      offset = offset / in_unit * in_unit;
      length = std::min((length + in_unit - 1) / in_unit * in_unit, sectors - offset);
    }
    return {offset * sector_, length * sector_};
  }

  std::uint64_t sector_;
  std::uint64_t unit_;
  FdpConfig fdp_;
  Random random_;
  std::vector<RequestRange> ranges_;
};

class InterfaceTorture::History final : public HostObserver {
 public:
  History(std::deque<std::string>& lines, InterfaceTortureCounts& counts) : history_(lines), counts_(counts) {}
  void completed(const IoCommand& command, std::uint32_t job, bool) override {
    if (command.status == IoStatus::Ok) ++counts_.completed[static_cast<std::size_t>(command.operation)];
    if (command.status == IoStatus::PowerLost) ++counts_.lost;
    history_.note(command, fmt::format("queue {}: ", job),
                  fmt::format(", {} ranges", std::max(command.range_count, 1U)));
  }
  void note(std::string line) { history_.note(std::move(line)); }

 private:
  RequestHistory history_;
  InterfaceTortureCounts& counts_;
};

InterfaceTorture::InterfaceTorture(DeviceConfig config, std::uint64_t seed)
    : config_(config_for_cuts(std::move(config), seed, kSpacing)),
      random_(seed),
      simulation_(config_),
      losses_(config_, simulation_.ssd().geometry(), simulation_.ssd().media(), simulation_.ssd().ecc()),
      history_(std::make_unique<History>(failure_.history, counts_)) {
  failure_.seed = seed;
  simulation_.host().attach(*history_);
  simulation_.on_power_back([this] {
    const PowerCut& cut = simulation_.power_cuts().back();
    counts_.in_mount += cut.in_mount ? 1 : 0;
    failure_.struck = fmt::format("at {} ps{}", cut.at, cut.in_mount ? ", in a mount" : "");
    history_->note(fmt::format("cut {} {}", simulation_.power_cuts().size(), failure_.struck));
    if (simulation_.power_cuts().size() >= cuts_wanted_) simulation_.cut_power_at(kNever);
  });
  simulation_.on_mounted([this] {
    history_->note(fmt::format("{} ps: mounted", kernel_now()));
    for (Source* const source : sources_) source->sweep();
  });
}

InterfaceTorture::~InterfaceTorture() = default;

// Runs one job on each queue. Queues are assigned to namespaces in turn; without namespaces they share the device.
bool InterfaceTorture::run(std::uint64_t cuts) {
  cuts_wanted_ = cuts;
  const HostInterfaceConfig& interface = config_.host_interface;
  const auto namespaces = static_cast<std::uint32_t>(interface.namespaces.size());
  std::vector<HostJob> jobs(std::max(config_.host.queues, namespaces));
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    HostJob& job = jobs[i];
    job.name = fmt::format("queue{}", i);
    job.queue = i % config_.host.queues;
    job.stream = static_cast<std::uint8_t>(i);
    job.iodepth = kInterfaceInFlight;
    job.name_space = namespaces == 0 ? 0 : 1 + i % namespaces;
    job.offset = namespace_begin(interface.namespaces, job.name_space);
    const std::uint64_t bytes = namespaces == 0 ? simulation_.capacity_bytes() : interface.namespaces[i % namespaces];
    auto source = std::make_unique<Source>(*this, bytes, random_.next());
    sources_.push_back(source.get());
    job.source = std::move(source);
  }
  try {
    simulation_.run(std::move(jobs));
    if (simulation_.oracle()->mismatches() != 0) throw std::runtime_error(simulation_.oracle()->first_mismatch());
    if (simulation_.power_cuts().size() < cuts && !interrupted())
      throw std::logic_error("the run ended before the last cut");
    simulation_.quiesce();
    simulation_.audit();
    if (simulation_.oracle()->mismatches() != 0) throw std::runtime_error(simulation_.oracle()->first_mismatch());
    const std::uint64_t sector = config_.host_interface.sector_size;
    const std::string lost = losses_.check(simulation_.unreadable_sectors() * sector);
    failure_.caught = !lost.empty();
    if (failure_.caught) throw std::runtime_error(lost);
    return true;
  } catch (const std::exception& error) {
    failure_.what = error.what();
    failure_.caught = failure_.caught || simulation_.oracle()->mismatches() != 0;
    failure_.cut = simulation_.power_cuts().size();
    return false;
  }
}

InterfaceTortureCounts InterfaceTorture::counts() {
  InterfaceTortureCounts counts = counts_;
  counts.cuts = simulation_.power_cuts().size();
  counts.requests = simulation_.host().statistics().completions;
  counts.sectors_checked = simulation_.oracle()->reads_checked();
  Ssd& ssd = simulation_.ssd();
  counts.program_failures = ssd.media().program_failures();
  counts.erase_failures = ssd.media().erase_failures();
  counts.overlap = ssd.flash().overlap_counts();
  counts.interrupts = ssd.host_interface().statistics().interrupts;
  counts.reported = ssd.host_interface().statistics().reported;
  if (ssd.faults() != nullptr) counts.faults = ssd.faults()->statistics();
  if (ssd.ecc() != nullptr) {
    const std::vector<std::uint64_t>& retries = ssd.ecc()->statistics().retries;
    counts.read_retries = std::accumulate(retries.begin(), retries.end(), std::uint64_t{0});
  }
  const FtlStatistics ftl = ssd.ftl_statistics();
  counts.scrub_moves = ftl.scrub_moves;
  counts.folded_blocks = ftl.slc.folds;
  if (ssd.powered()) counts.bad_blocks = ssd.firmware().ftl().bad_blocks();
  return counts;
}

}  // namespace flashloom
