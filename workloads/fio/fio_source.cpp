#include "workloads/fio/fio_source.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "workloads/fio/fio_engine.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kRead = 0;
constexpr std::size_t kWrite = 1;
constexpr std::size_t kTrim = 2;
constexpr RequestKind kKinds[] = {RequestKind::Read, RequestKind::Write, RequestKind::Trim};
constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

}  // namespace

FioSource::FioSource(const FioJob& job, std::vector<FioFile> files, const DeviceSpace& device, std::uint64_t seed,
                     FioInstance instance, FioZoneTables& zones)
    : job_(job),
      instance_(instance),
      sector_(device.sector_size),
      seed_(derived_seed(job.randseed.value_or(seed), instance.number)),
      places_(std::move(files)),
      flush_alone_(find_fio_engine(job.ioengine)->flush_blocks && job.depth() > 1),
      popular_(derived_seed(seed_, 0x706f70756c6172)),
      rate_(job),
      placer_(job, places_.size(), device, seed_) {
  if (job_.zbd.skip_zones != 0)
    job_.stride.skip = fio_zones_or_bytes(job_, device, "zoneskip", {.value = job_.zbd.skip_zones, .zones = true});
  if (strided() && job_.stride.range == 0) job_.stride.range = job_.stride.size;
  for (const FioFile& place : places_) size_ += place.size;
  // As fio: with filesize given, size is the amount to transfer.
  if (job_.filesize && job_.size)
    size_ = std::min(size_, job_.size->percent ? size_ / 100 * job_.size->value
                                               : fio_zones_or_bytes(job_, device, "size", *job_.size));
  if (job_.io_size)
    io_size_ = job_.io_size->percent ? size_ / 100 * job_.io_size->value
                                     : fio_zones_or_bytes(job_, device, "io_size", *job_.io_size);
  if (job_.sprandom.on) {
    sprandom_.emplace(job_, io_size_ == 0 ? size_ : std::min(size_, io_size_), job_.bs[kWrite].least, seed_);
    io_size_ = sprandom_->total();
  }
  for (std::size_t d = 0; d < kFioDirections; ++d) {
    walk_of_[d] = d;
    for (std::size_t earlier = d; earlier-- > 0;)
      if (used(earlier) && job_.bs[earlier].least == job_.bs[d].least && job_.bs[earlier].most == job_.bs[d].most &&
          alignment(earlier) == alignment(d))
        walk_of_[d] = earlier;
  }
  set_limits();
  seed_choices();
  if (const FioRange& delay = job_.start_delay_ps; delay.high != 0) {
    Random random(derived_seed(seed_, 0x64656c6179));
    start_delay_ps_ = delay.low + random.below(delay.high - delay.low + 1);
  }
  const bool popular = job_.distribution.kind == FioDistribution::Kind::Zipf ||
                       job_.distribution.kind == FioDistribution::Kind::Pareto ||
                       job_.distribution.kind == FioDistribution::Kind::Normal;
  for (const FioFile& place : places_) {
    File& file = files_.emplace_back();
    file.place = place;
    if (job_.zbd.on) file.zones.emplace(job_, file.place, device, zones);
    std::uint64_t unit = 1;
    for (std::size_t d = 0; d < kFioDirections; ++d)
      if (used(d)) {
        file.blocks[d] = blocks(file, d);
        unit = std::max({unit, alignment(d), job_.bs[d].least});
      }
    if (popular && job_.rw.random)
      file.distribution = OffsetDistribution(job_.distribution, place.size / unit, popular_);
    reset(file);
  }
}

void FioSource::seed_choices() {
  std::uint64_t stream = 0;
  for (Random* const random :
       {&mix_, &place_, &zone_, &run_, &file_, &size_of_[kRead], &size_of_[kWrite], &size_of_[kTrim], &process_})
    *random = Random(derived_seed(seed_, stream++));
}

void FioSource::reset(File& file) {
  file.next = {};
  file.start.fill(kNowhere);
  if (std::exchange(file.done, false)) --done_;
  file.window = file.window_bytes = 0;
  for (Walk& walk : file.walks) {
    walk.order.reset();
    if (walk.map) walk.map->reset();
  }
}

// ---- How much ----

std::uint64_t FioSource::limit() const { return io_size_ != 0 ? io_size_ : size_; }

void FioSource::set_limits() {
  const auto times = [](std::uint64_t a, std::uint64_t b) { return a > kNowhere / b ? kNowhere : a * b; };
  pass_limit_ = size_;
  if ((job_.rw.writes && job_.rw.random && job_.norandommap) || (job_.mixed() && !job_.rw.random))
    pass_limit_ = std::max(pass_limit_, io_size_);
  if (job_.rw.trim_then_write) pass_limit_ += limit();
  byte_limit_ = times(limit(), job_.loops);
  counts_[kRead] = job_.rw.reads;
  counts_[kWrite] = job_.rw.writes;
  counts_[kTrim] = !job_.rw.reads && !job_.rw.writes;
  const std::uint64_t each = job_.rw.trim_then_write ? 2 : 1;  // number_ios counts a trim and its write as one
  request_limit_ = job_.number_ios == 0 ? kNowhere : times(times(job_.number_ios, each), job_.loops);
}

// As fio: makes `loops` passes, then further ones until io_size is transferred or less than a block of it is left.
bool FioSource::begin_pass() {
  const std::uint64_t given = issued_bytes_[kRead] + issued_bytes_[kWrite] + issued_bytes_[kTrim];
  if (passes_ != 0 && (pass_bytes_ == 0 || !pass_sent_)) return false;  // after an empty pass all others are empty
  pass_sent_ = false;
  if (passes_ != 0 && !job_.time_based && passes_ >= job_.loops) {
    std::uint64_t largest = 0;
    for (std::size_t d = 0; d < kFioDirections; ++d)
      if (used(d)) largest = std::max(largest, job_.bs[d].most);
    if (limit_reached() || given >= limit() || limit() - given < largest || io_size_ == 0) return false;
  } else if (passes_ != 0 && !job_.time_based && limit_reached()) {
    return false;
  }
  ++passes_;
  pass_bytes_ = 0;
  if (passes_ > 1) {
    for (File& file : files_) reset(file);
    if (job_.randrepeat && !job_.time_based) seed_choices();
  }
  return true;
}

// ---- Which file, which direction ----

FioSource::File* FioSource::choose_among_files() {
  if (file_left_ == 0 || files_[file_at_].done) {
    const std::size_t before = file_at_;
    if (job_.file_service == FioFileService::Random) {
      file_at_ = static_cast<std::size_t>(file_.below(files_.size()));
    } else if (requests_ != 0 && (job_.file_service == FioFileService::RoundRobin || files_[before].done)) {
      file_at_ = (before + 1) % files_.size();
    }
    for (std::size_t tried = 0; files_[file_at_].done; ++tried) {
      if (tried == files_.size()) return nullptr;
      file_at_ = (file_at_ + 1) % files_.size();
    }
    file_left_ = job_.file_service == FioFileService::Sequential ? 1 : job_.file_service_run;
  }
  --file_left_;
  return &files_[file_at_];
}

// As fio: draws a new direction, unless the direction drawn last is behind its share.
std::size_t FioSource::mixed_direction() {
  const std::uint32_t percent[] = {job_.rwmixread, 100 - job_.rwmixread};
  if (issued_[mix_direction_] >= mix_until_) {
    const std::size_t drawn = mix_.below(100) < job_.rwmixread ? kRead : kWrite;
    if (drawn != mix_direction_) mix_until_ = issued_[mix_direction_] * percent[drawn] / 100;
    mix_direction_ = drawn;
  }
  return mix_direction_;
}

std::size_t FioSource::direction(const File& file) {
  std::size_t d = job_.rw.reads ? kRead : job_.rw.writes ? kWrite : kTrim;
  if (job_.rw.trim_then_write) {
    d = file.start[kTrim] == file.start[kWrite] ? kTrim : kWrite;
  } else if (job_.mixed()) {
    d = mixed_direction();
  }
  if (rate_.limits()) {
    d = rate_.direction(d, now_ps_, pace_);
    if (job_.mixed()) mix_direction_ = d;
  }
  return file.zones ? file.zones->direction(d) : d;
}

// ---- Where ----

std::uint64_t FioSource::room(const File& file) const {
  return strided() ? std::min(job_.stride.range, file.place.size) : file.place.size;
}

// Number of blocks at which a random request can begin.
std::uint64_t FioSource::blocks(const File& file, std::size_t d) const {
  const std::uint64_t align = alignment(d);
  std::uint64_t bytes = room(file);
  if (job_.bs[d].least > align) bytes -= std::min(bytes, job_.bs[d].least - align);
  return bytes / align;
}

bool FioSource::sequential(File& file, std::size_t d, Place& place) const {
  const std::uint64_t size = room(file);
  const bool wraps = strided() || (job_.time_based && files_.size() == 1);
  if (file.next[d] >= size && wraps) file.next[d] = 0;
  if (file.next[d] >= size) return false;
  auto at = static_cast<std::int64_t>(file.next[d]);
  if (at != 0 && job_.rw.step != 0 && !job_.rw.random) {
    at += job_.rw.step;
    if (at < 0 || at >= static_cast<std::int64_t>(size))
      at = job_.rw.step > 0 ? 0 : static_cast<std::int64_t>(size) + job_.rw.step;
    if (at < 0) return false;
  }
  place.at = static_cast<std::uint64_t>(at);
  place.random = place.mapped = false;
  return true;
}

// The walk in the order of a permutation; begins it if this pass has none yet.
FioSource::Walk& FioSource::ordered_walk(File& file, std::size_t d) {
  Walk& walk = file.walks[walk_of_[d]];
  if (!walk.order) {
    walk.order.emplace(file.blocks[d], place_.next());
    walk.position = 0;
  }
  return walk;
}

// Draws one of the `count` blocks from `first` on; without norandommap, one that this pass has not visited. Returns
// false if none is left.
bool FioSource::from_walk(File& file, std::size_t d, std::uint64_t first, std::uint64_t count, Place& place) {
  if (job_.norandommap) {
    place.block = first + place_.below(count);
    return true;
  }
  const bool whole = first == 0 && count == file.blocks[d];
  if (whole && walks_in_order(d)) {
    Walk& walk = ordered_walk(file, d);
    if (walk.position == count) return false;
    place.block = (*walk.order)(walk.position++);
    return true;
  }
  Walk& walk = file.walks[walk_of_[d]];
  if (!walk.map) walk.map.emplace(file.blocks[d]);
  place.block = first + place_.below(count);
  place.mapped = true;
  if (!walk.map->visited(place.block)) return true;
  const auto free = walk.map->next_free(place.block);
  if (free) place.block = *free;
  return free.has_value();
}

bool FioSource::draw_block(File& file, std::size_t d, Place& place) {
  const std::uint64_t count = file.blocks[d];
  if (count == 0) return false;
  place.random = true;
  if (sprandom_) [[unlikely]] {
    const std::optional<std::uint64_t> block = sprandom_->next();
    place.block = block.value_or(0);
    return block.has_value();
  }
  return job_.distribution.kind == FioDistribution::Kind::Uniform ? from_walk(file, d, 0, count, place)
                                                                  : draw_unevenly(file, d, place);
}

bool FioSource::draw_unevenly(File& file, std::size_t d, Place& place) {
  using Kind = FioDistribution::Kind;
  const std::uint64_t count = file.blocks[d];
  const FioDistribution& distribution = job_.distribution;
  if (distribution.kind != Kind::Zoned && distribution.kind != Kind::ZonedAbsolute) {
    place.block = file.distribution.next(popular_);
    return true;
  }
  std::uint64_t drawn = zone_.below(100);
  std::uint64_t begin = 0;
  for (const FioDistribution::Zone& zone : distribution.zones[d]) {
    if (drawn >= zone.percent) {
      drawn -= zone.percent;
      begin += zone.size;
      continue;
    }
    const bool percent = distribution.kind == Kind::Zoned;
    const std::uint64_t align = alignment(d);
    const std::uint64_t first = percent ? begin * count / 100 : begin / align;
    const std::uint64_t blocks = percent ? count * zone.size / 100 : (begin + zone.size) / align - first;
    if (blocks == 0 || first + blocks > count) return false;
    place.block = first + place_.below(blocks);  // as fio: zones use no random map
    return true;
  }
  place.block = place_.below(count);
  return true;
}

bool FioSource::random_block(File& file, std::size_t d, Place& place) {
  bool found = draw_block(file, d, place);
  if (!found && (job_.time_based || job_.file_service == FioFileService::Random)) {
    for (Walk& walk : file.walks) {
      walk.order.reset();
      if (walk.map) walk.map->reset();
    }
    found = draw_block(file, d, place);
  }
  place.at = place.block * alignment(d);
  return found;
}

bool FioSource::locate(File& file, std::size_t d, Place& place) {
  if (job_.rw.trim_then_write && d == kWrite) {
    place.at = file.start[kTrim];
    return true;
  }
  const bool turn = --run_left_ == 0;
  if (turn) run_left_ = job_.rw.run;
  if (!turn && job_.repeat_place) {
    place.at = file.start[d] == kNowhere ? 0 : file.start[d];
    return true;
  }
  if (!job_.rw.random) return sequential(file, d, place);
  const std::uint32_t percent = job_.percentage_random[d];
  if (turn && (percent == 100 || run_.below(100) < percent)) return random_block(file, d, place);
  if (sequential(file, d, place)) return true;
  if (!random_block(file, d, place)) return false;
  return true;
}

void FioSource::move_window(File& file) {
  const FioStride& stride = job_.stride;
  if (file.window_bytes >= stride.size) {
    file.window_bytes = 0;
    file.window += stride.range + stride.skip;
    if (file.window + std::min(stride.range, file.place.size) > file.place.size) file.window = 0;
    file.next = {};
  }
  if (file.window_bytes % stride.range == 0)
    for (Walk& walk : file.walks) {
      walk.order.reset();
      if (walk.map) walk.map->reset();
    }
}

// ---- How long ----

std::uint64_t FioSource::drawn_length(const FioBlockSizes& sizes, std::size_t d, std::uint64_t room) {
  constexpr int kMostTries = 1000;
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::uint64_t bytes = 0;
    if (sizes.split.empty()) {
      bytes = sizes.least + static_cast<std::uint64_t>(static_cast<double>(sizes.most) * uniform_share(size_of_[d]));
    } else {
      const std::uint64_t drawn = size_of_[d].below(100);
      std::uint64_t sum = 0;
      for (const FioBlockSizes::Share& share : sizes.split) {
        if (share.percent == 0) continue;
        bytes = share.bytes;
        sum += share.percent;
        if (drawn < sum && bytes <= room) break;
      }
    }
    bytes -= bytes % (job_.bs_unaligned ? sector_ : sizes.least);
    bytes = std::min(bytes, sizes.most);
    if (bytes <= room) return bytes;
  }
  return sizes.least;
}

std::uint64_t FioSource::length(const File& file, std::size_t d, const Place& place) {
  if (job_.rw.trim_then_write && d == kWrite) return file.next[kTrim] - file.start[kTrim];
  const std::uint64_t used = file.window + place.at;
  const std::uint64_t end = file.zones ? file.place.extent - file.place.offset : file.place.size;
  const std::uint64_t left = used < end ? end - used : 0;
  const std::size_t by = !job_.bs_is_seq_rand ? d : place.random ? kWrite : kRead;
  const FioBlockSizes& sizes = job_.bs[by];
  if (sizes.least > left) return 0;
  return sizes.fixed() ? sizes.least : drawn_length(sizes, by, left);
}

// ---- The next one ----

bool FioSource::flush_due() const {
  // As fio, no flush follows the last write, because the job has ended then.
  return ((job_.fsync != 0 && issued_[kWrite] % job_.fsync == 0) ||
          (job_.fdatasync != 0 && issued_[kWrite] % job_.fdatasync == 0)) &&
         (job_.time_based || !limit_reached());
}

bool FioSource::flush(Request& request) {
  request = Request{};
  request.kind = RequestKind::Flush;
  request.stream = static_cast<std::uint8_t>(instance_.number);
  pace_.alone = flush_alone_;
  last_was_write_ = unflushed_ = false;
  return true;
}

// Accounts for `requests` requests of `length` bytes, the last one at `place`. Jobs with a rate or a think time need a
// call per request.
void FioSource::sent(File& file, std::size_t d, const Place& place, std::uint64_t length, std::uint64_t requests) {
  const std::uint64_t bytes = requests * length;
  file.start[d] = place.at;
  file.next[d] = place.at + length;
  file.window_bytes += bytes;
  issued_[d] += requests;
  requests_ += requests;
  issued_bytes_[d] += bytes;
  if (counts_[d]) counted_bytes_ += bytes;
  pass_bytes_ += bytes;
  last_was_write_ = d == kWrite;
  unflushed_ = unflushed_ || d == kWrite;
  if (rate_.limits()) rate_.sent(d, length, process_);
  if (job_.thinktime_ps != 0) think(d);
}

void FioSource::think(std::size_t d) {
  ++since_pause_;
  const bool by_time = job_.thinktime_iotime_ps != 0;
  const std::uint64_t now = std::max(now_ps_, pace_.not_before_ps);
  pause_due_ = by_time && now - std::min(now, last_pause_ps_) >= job_.thinktime_iotime_ps;
  if (!by_time || job_.given("thinktime_blocks")) pause_due_ = pause_due_ || since_pause_ >= job_.thinktime_blocks;
  if (pause_due_) {
    since_pause_ = 0;
    last_pause_ps_ = now + job_.thinktime_ps;
    if (job_.rate_ignores_thinktime) rate_.paused(d, job_.thinktime_ps);
  }
}

// As fio's fill_multi_range_io_u: joins the next num_range trims into one request; fewer at the end.
bool FioSource::next_ranges(Request& request) {
  ranges_.clear();
  if (!next_one(request)) return false;
  const Pace pace = pace_;
  ranges_.push_back({request.offset, request.length});
  Request more;
  const std::uint64_t requests = requests_;  // all ranges count as one request
  while (ranges_.size() < job_.num_range && (--requests_, next_one(more))) {
    ranges_.push_back({more.offset, more.length});
    request.length += more.length;
  }
  requests_ = requests;
  pace_ = pace;
  request.ranges = ranges_.data();
  request.range_count = static_cast<std::uint16_t>(ranges_.size());
  return true;
}

bool FioSource::next_one(Request& request) {
  pace_ = Pace{};
  if (ended_) return false;
  if (last_was_write_ && flush_due()) return flush(request);
  for (;;) {
    if ((passes_ == 0 || pass_over()) && !begin_pass()) {
      ended_ = true;
      return job_.end_fsync && unflushed_ && flush(request);
    }
    File* const file = choose_file();
    if (file == nullptr) continue;  // pass_over() is now true
    const std::size_t d = direction(*file);
    if (strided()) move_window(*file);
    if (file->zones) file->zones->before(d, file->next[d], file->window, file->window_bytes);
    Place place;
    std::uint64_t bytes = locate(*file, d, place) ? length(*file, d, place) : 0;
    if (bytes == 0 || (file->zones && !place_in_zone(*file, d, place, bytes))) {
      file->done = true;
      ++done_;
      pace_ = Pace{};
      continue;
    }
    if (place.mapped) {
      const std::uint64_t align = alignment(d);
      const std::uint64_t run = file->walks[walk_of_[d]].map->visit_run(place.block, (bytes + align - 1) / align);
      bytes = std::min(bytes, run * align);
    }
    const bool sends = !file->zones || send_to_zone(request, *file, d, place, bytes);
    if (!file->zones) send(request, *file, d, place, bytes);
    sent(*file, d, place, bytes);
    if (sends) {
      unsent_ = 0;
      return pass_sent_ = true;
    }
    // A job that only resets zones kept by fio sends no request, so it would loop here while time stands still.
    unsent_ += bytes;
    ended_ = unsent_ > 2 * size_;
    if (ended_) return false;
  }
}

void FioSource::send(Request& request, const File& file, std::size_t d, const Place& place, std::uint64_t length) {
  request = Request{};
  request.offset = file.place.begin + file.place.offset + file.window + place.at;
  request.length = length;
  request.kind = d == kWrite ? job_.write_as : kKinds[d];
  request.fua = job_.fua && d == kWrite;
  request.stream = static_cast<std::uint8_t>(instance_.number);
  if (d == kWrite) placer_.place(request, static_cast<std::size_t>(&file - files_.data()), file.place.begin);
  if (pause_due_) {
    pace_.pause_ps = job_.thinktime_ps;
    pace_.drain = true;
    pause_due_ = false;
  }
  pace_.alone = flush_alone_ && d == kTrim;
}

}  // namespace flashloom
