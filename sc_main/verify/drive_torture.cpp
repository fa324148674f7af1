#include "sc_main/verify/drive_torture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/common/counters.hpp"
#include "sc_main/verify/random_placement.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kDriveHistory = 24;
constexpr std::uint64_t kMostRequests = 120;  // between cuts

std::string text_of(const Request& request) {
  std::string text = kIoOperationNames[static_cast<std::size_t>(request.kind)];
  if (request.kind != RequestKind::Flush) text += fmt::format(" {} + {}", request.offset, request.length);
  if (request.directive == RequestDirective::DataPlacement) text += fmt::format(" placement {}", request.identifier);
  if (request.all_zones) text += " all";
  if (request.random_write_area) text += " with a random write area";
  return request.fua ? text + " fua" : text;
}

}  // namespace

TortureCounts& TortureCounts::operator+=(const TortureCounts& other) {
  add(*this, other);
  return *this;
}

DeviceConfig DriveTorture::with_verify(DeviceConfig config, std::uint64_t seed) {
  config.verify = true;
  config.seed = seed;
  return config;
}

DriveTorture::DriveTorture(DeviceConfig config, std::uint64_t seed)
    : seed_(seed),
      random_(seed),
      device_(with_verify(std::move(config), seed)),
      losses_(device_.config, device_.geometry, device_.media, device_.ecc.get()),
      capacity_(device_.firmware->capacity_bytes()),
      sector_(device_.config.host_interface.sector_size),
      unit_(device_.config.ftl.mapping_unit),
      operations_(std::min<std::uint64_t>(std::max<std::uint64_t>(capacity_ / unit_ / 4, 64), 400)) {
  device_.media.set_tearing({.mixed = true, .seed = random_.next()});
  failure_.seed = seed;
}

void DriveTorture::note(const std::string& line) {
  if (failure_.history.size() == kDriveHistory) failure_.history.pop_front();
  failure_.history.push_back(line);
}

// Half of the drives begin empty, the others filled to some share.
void DriveTorture::fill() {
  if (random_.chance(0.5)) return;
  const std::uint64_t end = random_.below(capacity_ / unit_ + 1) * unit_;
  note(fmt::format("filled to {}", end));
  for (std::uint64_t at = 0; at < end;) {
    const std::uint64_t length = std::min<std::uint64_t>(end - at, 32 * unit_);
    // (On a zoned drive, requests beyond the writable part of a zone fail.)
    device_.run({.offset = at, .length = length, .kind = RequestKind::Write});
    at += length;
  }
}

Request DriveTorture::next_request() {
  Request request = next_unplaced();
  place_at_random(request, device_.config.ftl.fdp, random_);
  return request;
}

Request DriveTorture::next_unplaced() {
  if (const Zones* const zones = device_.firmware->zones()) return random_zone_request(random_, *zones);
  const std::uint64_t kind = random_.below(100);
  Request request{.kind = RequestKind::Write};
  if (kind < 8) return {.kind = RequestKind::Flush};
  if (kind < 20) request.kind = RequestKind::Trim;
  if (kind >= 85) request.kind = RequestKind::Read;
  // Sizes are one sector or more, mostly small; half of the requests go to the first sixteenth of the device.
  const std::uint64_t sectors = capacity_ / sector_;
  const std::uint64_t range = random_.chance(0.5) ? std::max<std::uint64_t>(sectors / 16, 1) : sectors;
  const std::uint64_t largest =
      std::min<std::uint64_t>(range, random_.chance(0.8) ? 4 * unit_ / sector_ : 64 * unit_ / sector_);
  std::uint64_t length = 1 + random_.below(largest);
  std::uint64_t offset = random_.below(range - length + 1);
  if (random_.chance(0.6)) {  // whole units
    const std::uint64_t per_unit = unit_ / sector_;
    offset = offset / per_unit * per_unit;
    length = std::min((length + per_unit - 1) / per_unit * per_unit, sectors - offset);
  }
  request.offset = offset * sector_;
  request.length = length * sector_;
  request.fua = request.kind == RequestKind::Write && random_.chance(0.1);
  return request;
}

// Half of the cuts strike any command, the others a certain kind: GC, metadata, merges, erases, padding.
CutFlash::Target DriveTorture::next_target(bool mount) {
  CutFlash::Target target{.count = 1 + random_.below(mount ? operations_ / 2 : operations_)};
  if (mount) {
    if (!random_.chance(0.3)) return target;
    target.count = 1 + random_.below(4);
    target.operation = FlashOperation::Erase;
    return target;
  }
  using enum Origin;
  static constexpr Origin kWriters[] = {Host, Gc, Map, Merge, Wear, Padding, Rmw};
  switch (random_.below(6)) {
    case 0:
      target.operation = FlashOperation::Erase;
      target.count = 1 + random_.below(8);
      break;
    case 1:
      target.origin = Gc;
      target.count = 1 + random_.below(64);
      break;
    case 2:
      target.origin = kWriters[random_.below(std::size(kWriters))];
      target.operation = FlashOperation::Program;
      target.count = 1 + random_.below(8);
      break;
    default:
      break;
  }
  return target;
}

void DriveTorture::note_pointers(bool all_durable) {
  const Zones* const zones = device_.firmware->zones();
  if (zones == nullptr) return;
  pointers_.after(*zones, all_durable);
  if (!device_.cuts.cut()) pointers_.note_ended(*zones);
}

void DriveTorture::note_struck(const std::string& where) {
  ++counts_.cuts;
  if (!device_.cuts.cut()) {
    ++counts_.idle;
    failure_.struck = "between two requests";
  } else {
    const CutFlash::Struck& struck = device_.cuts.struck();
    ++counts_.struck[static_cast<std::size_t>(struck.operation)][static_cast<std::size_t>(struck.origin)];
    failure_.struck = fmt::format("{}flash command {}: {} ({}) of die {}, block {}, page {}", where, struck.number,
                                  to_string(struck.operation), to_string(struck.origin), struck.address.die.value(),
                                  struck.address.block.value(), struck.address.page.value());
  }
  note(fmt::format("cut {}: {}", counts_.cuts, failure_.struck));
}

void DriveTorture::live_until_cut() {
  const CutFlash::Target target = next_target(false);
  const std::uint64_t seed = random_.next();
  if (!device_.config.power.plp) device_.cuts.arm(target, seed);  // with capacitors operations in progress complete
  const std::uint64_t most = 1 + random_.below(kMostRequests);
  for (std::uint64_t i = 0; i < most && !device_.cuts.cut(); ++i) {
    const Request request = next_request();
    note(text_of(request));
    ++counts_.requests;
    const std::optional<IoStatus> status = device_.host().try_run(request);
    if (!status && !device_.cuts.cut()) throw std::logic_error("the request never ends");
    note_pointers(status == IoStatus::Ok && !device_.cuts.cut() && request.kind == RequestKind::Flush);
  }
  if (!device_.config.power.plp) note_struck("");
}

// Flushes on the capacitors, whose energy is charged for the arrays' programs only; false: they ran out of energy.
bool DriveTorture::hold_up() {
  const NandConfig& nand = device_.config.nand;
  const double program =
      nand.array_voltage * nand.program_current * static_cast<double>(longest_program_time(nand)) * 1e-12;
  if (const double energy = device_.config.power.plp_energy; energy != 0 && program != 0)
    device_.cuts.arm({.count = 1 + static_cast<std::uint64_t>(energy / program), .operation = FlashOperation::Program},
                     random_.next());
  bool flushed = false;
  bool refused = false;
  device_.runtime.spawn([&] { return flush(flushed, refused); });
  if (!flushed && !device_.cuts.cut()) throw std::logic_error("the flush on capacitors never ends");
  if (!flushed) ++counts_.exhausted;
  note_struck("on capacitors: ");
  return flushed && (!refused || device_.config.power.holds_buffer_up());
}

// Calls the firmware's flush directly: injected faults do not affect a flush on capacitors. A worn-out drive refuses
// data for which it has no room, which it may unless it acknowledges flushes from its buffer.
Task<void> DriveTorture::flush(bool& flushed, bool& refused) {
  IoCommand emergency;
  emergency.operation = IoOperation::Flush;
  co_await device_.firmware->drain(emergency);
  flushed = true;
  refused = emergency.status != IoStatus::Ok;
}

// A third of the mounts are cut themselves, some of them again.
void DriveTorture::mount() {
  bool whole = false;
  while (!whole) {
    device_.media.power_lost();
    device_.cuts.power_on();
    const bool again = random_.chance(0.33);
    if (again) device_.cuts.arm(next_target(true), random_.next());
    whole = device_.boot();
    if (device_.cuts.cut()) {  // may have struck an erase that a completed mount left in progress
      whole = false;
      note_struck("in the mount: ");
      ++counts_.in_recovery;
    } else if (!whole) {
      throw std::logic_error("the firmware does not come up");
    }
  }
  device_.cuts.power_on();
  const MountReport& report = device_.firmware->ftl().mount_report();
  ++counts_.mounts;
  counts_.mount_reads += report.reads;
  counts_.most_mount_reads.note(report.reads);
  counts_.torn_pages += report.torn_pages;
  counts_.log_pages += report.log_pages;
  if (device_.firmware->ftl().read_only()) ++counts_.read_only;
}

void DriveTorture::verify() {
  const std::uint64_t before = device_.oracle->reads_checked();
  failure_.caught = device_.audit() != 0;
  if (failure_.caught) throw std::runtime_error(device_.oracle->first_mismatch());
  if (const std::string lost = losses_.check(device_.unreadable); !lost.empty()) {
    failure_.caught = true;
    throw std::runtime_error(lost);
  }
  if (const Zones* const zones = device_.firmware->zones()) {
    if (const std::string lost = pointers_.check(*zones); !lost.empty()) {
      failure_.caught = true;
      throw std::runtime_error(lost);
    }
    note_pointers(true);
  }
  counts_.sectors_checked += device_.oracle->reads_checked() - before;
}

// Sums over all firmware instances of the drive; bad blocks are those of the last one.
void DriveTorture::count_errors() {
  if (device_.faults != nullptr) counts_.faults = device_.faults->statistics();
  counts_.bad_blocks = device_.firmware->ftl().bad_blocks();
  counts_.program_failures = device_.media.program_failures();
  counts_.erase_failures = device_.media.erase_failures();
  if (device_.ecc == nullptr) return;
  const EccStatistics& statistics = device_.ecc->statistics();
  counts_.read_retries = std::accumulate(statistics.retries.begin(), statistics.retries.end(), std::uint64_t{0});
  counts_.uncorrectable_reads = statistics.uncorrectable_total();
  counts_.lost_units = statistics.lost_units;
  counts_.scrub_moves = device_.flash.counters().at(FlashOperation::Erase, Origin::Scrub).pages;
}

bool DriveTorture::run(std::uint64_t cuts) {
  try {
    if (counts_.cuts == 0) fill();
    while (counts_.cuts < cuts && !interrupted()) {
      live_until_cut();
      const bool held = device_.config.power.plp && hold_up();
      if (held) note_pointers(true);
      mount();
      device_.oracle->power_cut(held);
      verify();
    }
    count_errors();
    return true;
  } catch (const std::exception& error) {
    failure_.what = error.what();
    failure_.cut = counts_.cuts;
    if (device_.faults != nullptr) counts_.faults = device_.faults->statistics();
    return false;
  }
}

}  // namespace flashloom
