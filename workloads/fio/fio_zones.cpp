#include "workloads/fio/fio_zones.hpp"

#include <algorithm>
#include <limits>

#include "workloads/size_text.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kReads = 0;
constexpr std::size_t kWrites = 1;
constexpr std::size_t kTrims = 2;
constexpr std::uint64_t kLeastZone = 512;

std::shared_ptr<FioZoneTable> make_table(const FioJob& job, const FioFile& file, const DeviceSpace& device) {
  const ZoneSpace& zones = device.zones;
  auto table = std::make_shared<FioZoneTable>();
  table->commands = zones.bytes != 0;
  table->zone_bytes = table->commands ? zones.bytes : job.stride.size;
  if (table->zone_bytes == 0) fail_fio_job(job, "zonemode", "zbd needs a zonesize: the device has no zones");
  if (table->zone_bytes < kLeastZone) fail_fio_job(job, "zonesize", "is less than 512 bytes");
  if (table->commands && job.stride.size != 0 && job.stride.size != zones.bytes)
    fail_fio_job(job, "zonesize",
                 size_text(job.stride.size) + " are not the device's zone size, " + size_text(zones.bytes));
  std::uint64_t capacity = zones.capacity;
  if (!table->commands) capacity = job.zbd.capacity == 0 ? table->zone_bytes : job.zbd.capacity;
  if (capacity > table->zone_bytes) fail_fio_job(job, "zonecapacity", "is larger than the zone size");
  if (file.extent < table->zone_bytes)
    fail_fio_job(job, "zonesize", "the file, " + size_text(file.extent) + ", is smaller than a zone");
  for (std::uint64_t start = 0; start < file.extent; start += table->zone_bytes)
    table->zones.push_back({.start = start, .capacity = capacity, .write_pointer = start});
  for (std::size_t i = 0; i < table->zones.size(); ++i) {
    const std::size_t number = file.begin / table->zone_bytes + i;
    if (!table->commands || number >= zones.written.size()) continue;
    table->zones[i].write_pointer += zones.written[number];
    table->bytes += zones.written[number];
  }
  table->max_open = job.zbd.max_open;
  if (!table->commands || job.zbd.ignore_limits || zones.max_open == 0) return table;
  if (job.zbd.max_open > zones.max_open)
    fail_fio_job(job, "max_open_zones",
                 std::to_string(job.zbd.max_open) + " exceed the device's limit, " + std::to_string(zones.max_open));
  if (job.zbd.max_open == 0) table->max_open = zones.max_open;
  return table;
}

}  // namespace

std::uint32_t FioZoneTable::zone_of(std::uint64_t offset) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(offset / zone_bytes, zones.size()));
}

FioZones::FioZones(const FioJob& job, FioFile& file, const DeviceSpace& device, FioZoneTables& tables) : job_(&job) {
  std::shared_ptr<FioZoneTable>& shared = tables[file.begin];
  if (shared == nullptr) shared = make_table(job, file, device);
  table_ = shared;
  if (job.stride.size != 0 && job.stride.size != table_->zone_bytes)
    fail_fio_job(job, "zonesize", "differs from that of another job on the same file");
  if (job.write_as == RequestKind::ZoneAppend && !table_->commands)
    fail_fio_job(job, "write_mode", "zone_append: the device has no zones");
  if (job.write_as == RequestKind::WriteZeroes && table_->commands)
    fail_fio_job(job, "write_mode", "zeroes: zones take no write zeroes");
  if (job.stride.skip % table_->zone_bytes != 0) fail_fio_job(job, "zoneskip", "is no multiple of the zone size");
  if (job.zbd.max_open != 0 && job.zbd.max_open != table_->max_open)
    fail_fio_job(job, "max_open_zones", "differs from that of another job on the same file");
  if (job.zbd.job_max_open != 0 && table_->max_open == 0)
    fail_fio_job(job, "job_max_open_zones", "needs max_open_zones");
  if (job.rw.trims && (!job.bs[kTrims].fixed() || job.bs[kTrims].least != table_->zone_bytes))
    fail_fio_job(job, "bs", "a trim is of a whole zone, " + size_text(table_->zone_bytes));
  if (job.rw.writes || job.rw.trims) round_to_zones(file);
  file_ = file;
  first_ = table_->zone_of(file.offset);
  end_ = table_->zone_of(file.offset + file.size);
  // The part of a job that only reads can end within a zone.
  if (file.size % table_->zone_bytes != 0 && end_ < table_->zones.size()) ++end_;
  count_writes_to_reset();
}

// As zbd_verify_sizes().
void FioZones::round_to_zones(FioFile& file) const {
  const std::uint64_t bytes = table_->zone_bytes;
  const std::uint64_t begin = (file.offset + bytes - 1) / bytes * bytes;
  const std::uint64_t end = (file.offset + file.size) / bytes * bytes;
  if (end <= begin) fail_fio_job(*job_, "size", "the job's part of the file has no whole zone");
  file.offset = begin;
  file.size = end - begin;
}

void FioZones::count_writes_to_reset() {
  const double frequency = job_->zbd.reset_frequency;
  constexpr auto kNever = std::numeric_limits<std::uint32_t>::max();
  table_->writes_to_reset =
      frequency == 0 ? kNever : static_cast<std::uint64_t>(std::min<double>(1 / frequency, kNever));
}

std::size_t FioZones::direction(std::size_t direction) const {
  const bool nothing = table_->bytes == 0 && !job_->zbd.read_beyond_wp;
  return direction == kReads && job_->mixed() && nothing ? kWrites : direction;
}

void FioZones::before(std::size_t direction, std::uint64_t& next, std::uint64_t& window,
                      std::uint64_t& window_bytes) const {
  const std::uint64_t position = file_.offset + window + next;
  const std::uint32_t number = table_->zone_of(position);
  if (random() || number == table_->zones.size()) return;
  const Zone& zone = table_->zones[number];
  const std::uint64_t end = zone.start + table_->zone_bytes;
  if (direction == kWrites && zone.capacity < table_->zone_bytes && position >= zone.end()) next += end - position;
  if (job_->stride.skip == 0) return;
  const bool read_up = direction == kReads && !job_->zbd.read_beyond_wp && position >= zone.write_pointer;
  if (window_bytes < table_->zone_bytes && file_.offset + window + next < end && !read_up) return;
  window_bytes = 0;
  window += table_->zone_bytes + job_->stride.skip;
  if (file_.offset + window >= file_.extent) window = 0;
  next = 0;
}

// ---- Open zones ----

std::uint32_t FioZones::open_zone_for(std::uint64_t offset) const {
  return static_cast<std::uint32_t>((offset - file_.offset) * table_->open.size() / file_.size);
}

// Opens a zone. Returns false if a limit on open zones forbids it, or if the zone is open and full.
bool FioZones::open(std::uint32_t number) {
  Zone& zone = table_->zones[number];
  if (table_->max_open == 0) return true;
  if (zone.open) return zone.write_pointer < zone.end();
  if (job_->zbd.job_max_open != 0 && opened_ >= job_->zbd.job_max_open) return false;
  if (table_->open.size() >= table_->max_open) return false;
  table_->open.push_back(number);
  ++opened_;
  if (!table_->filled.empty()) {
    after_ = table_->filled.front();
    table_->filled.pop_front();
  }
  return zone.open = true;
}

void FioZones::close(std::uint32_t number) {
  if (std::erase(table_->open, number) == 0) return;
  table_->zones[number].open = false;
  if (opened_ != 0) --opened_;
}

// As zbd_convert_to_open_zone(): chooses an open zone by the offset's position in the file; if that zone is full, the
// next zone that can be opened.
std::optional<std::uint32_t> FioZones::other_zone(std::uint64_t offset, std::uint64_t required, bool& drain) {
  const std::vector<std::uint32_t>& all = table_->open;
  if (!limited()) {
    const std::uint32_t zone = table_->zone_of(offset);
    if (!full(table_->zones[zone], required)) return zone;
    return open_another(zone, required, drain);
  }
  if (all.empty()) return open_another(std::clamp<std::uint32_t>(0, first_, end_ - 1), required, drain);
  std::uint32_t at = open_zone_for(offset);
  for (std::size_t tried = 0;; ++tried, at = at + 1 < all.size() ? at + 1 : 0) {
    if (tried == all.size()) return std::nullopt;
    if (all[at] >= first_ && all[at] < end_) break;
  }
  if (!full(table_->zones[all[at]], required)) return all[at];
  return open_another(all[at], required, drain);
}

std::optional<std::uint32_t> FioZones::open_another(std::uint32_t zone, std::uint64_t required, bool& drain) {
  const std::size_t open_now = table_->open.size();
  drain = drain || open_now == end_ - first_ || (table_->max_open != 0 && open_now == table_->max_open) ||
          (job_->zbd.job_max_open != 0 && opened_ == job_->zbd.job_max_open);
  for (std::uint64_t left = file_.size / table_->zone_bytes; left > 0; --left) {
    ++zone;
    if (zone >= table_->zones.size() || !valid(table_->zones[zone].start)) zone = first_;
    if (!table_->zones[zone].open && open(zone)) return zone;
  }
  for (const std::uint32_t candidate : table_->open)
    if (candidate >= first_ && candidate < end_ && !full(table_->zones[candidate], required)) return candidate;
  return std::nullopt;
}

// ---- Requests ----

std::optional<FioZones::Place> FioZones::adjust(std::size_t direction, Place drawn) {
  after_.reset();
  std::optional<Place> place = direction == kReads ? read(drawn) : direction == kTrims ? trim(drawn) : write(drawn);
  if (place) place->after = after_;
  return place;
}

bool FioZones::reset_is_due() {
  const FioZbd& zbd = job_->zbd;
  if (zbd.reset_frequency == 0) return false;
  if (static_cast<double>(table_->bytes) < static_cast<double>(file_.size) * zbd.reset_threshold) return false;
  if (--table_->writes_to_reset != 0) return false;
  count_writes_to_reset();
  return true;
}

void FioZones::reset(std::uint32_t number, Place& place) {
  Zone& zone = table_->zones[number];
  if (zone.data() == 0) return;
  if (table_->commands) place.reset = zone.start;
  table_->bytes -= zone.data();
  zone.write_pointer = zone.start;
}

std::optional<FioZones::Place> FioZones::write(Place drawn) {
  if (drawn.length > table_->zone_bytes) return std::nullopt;
  const std::uint64_t required = least(kWrites);
  std::uint32_t number = table_->zone_of(drawn.at);
  if (!open(number)) {
    const std::optional<std::uint32_t> other = other_zone(drawn.at, required, drawn.drain);
    if (!other) return std::nullopt;
    number = *other;
  }
  Zone& zone = table_->zones[number];
  if (reset_is_due()) zone.reset_next = true;
  if (zone.reset_next || full(zone, required)) {
    drawn.drain = true;
    zone.reset_next = false;
    reset(number, drawn);
    if (zone.capacity < required) return std::nullopt;
  }
  drawn.at = zone.write_pointer;
  if (!valid(drawn.at)) return std::nullopt;
  drawn.length = std::min(drawn.length, zone.end() - drawn.at) / required * required;
  return drawn;
}

void FioZones::sent(std::size_t direction, std::uint64_t at, std::uint64_t length) {
  if (direction != kWrites) return;
  const std::uint32_t number = table_->zone_of(at);
  Zone& zone = table_->zones[number];
  zone.write_pointer = at + length;
  table_->bytes += length;
  if (zone.write_pointer < zone.end()) return;
  close(number);
  if (table_->max_open != 0) table_->filled.push_back(zone.start);
}

// As zbd_find_zone(): the next zone with at least `required` bytes of data; for random reads the nearest zone on either
// side.
std::optional<std::uint32_t> FioZones::readable_zone(std::uint32_t from, std::uint64_t required) const {
  const auto good = [&](std::uint32_t zone) { return table_->zones[zone].data() >= required; };
  for (std::uint32_t step = 1; from + step < end_ || from >= first_ + step; ++step) {
    if (from + step < end_) {
      if (good(from + step)) return from + step;
    } else if (!random()) {
      break;
    }
    if (random() && from >= first_ + step && good(from - step)) return from - step;
  }
  return std::nullopt;
}

std::optional<FioZones::Place> FioZones::read(Place drawn) const {
  if (job_->zbd.read_beyond_wp) return drawn;
  const std::uint64_t required = least(kReads);
  std::uint32_t number = table_->zone_of(drawn.at);
  if (number == table_->zones.size()) return std::nullopt;
  const std::uint64_t from = table_->zones[number].start;
  if (table_->zones[number].data() < required ||
      (!random() && drawn.at + required > table_->zones[number].write_pointer)) {
    const std::optional<std::uint32_t> other = readable_zone(number, required);
    if (!other) return std::nullopt;
    number = *other;
    if (!random()) drawn.at = table_->zones[number].start;
  }
  const Zone& zone = table_->zones[number];
  if (zone.data() <= drawn.length)
    drawn.at = zone.start;
  else if (random())
    drawn.at = zone.start + (drawn.at - from) % (zone.data() - drawn.length) / required * required;
  drawn.length = std::min(drawn.length, zone.write_pointer - drawn.at) / required * required;
  return drawn;
}

// As zbd_do_io_u_trim(). If the zone is empty or resets are no commands, `reset` stays empty and nothing is sent.
std::optional<FioZones::Place> FioZones::trim(Place drawn) {
  std::uint32_t number = table_->zone_of(drawn.at);
  if (random() && table_->zones[number].data() == 0) {
    const std::optional<std::uint32_t> other = readable_zone(number, 1);
    if (!other) return std::nullopt;
    number = *other;
  }
  drawn.at = table_->zones[number].start;
  reset(number, drawn);
  return drawn;
}

}  // namespace flashloom
