#include "controllers/host/oracle.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <tuple>

namespace flashloom {
namespace {

constexpr std::uint64_t kTouchGroup = 64;  // sectors a bit of the audit map

}  // namespace

Oracle::Oracle(const Shape& shape)
    : shape_(shape), sectors_(shape.capacity_bytes / shape.sector_bytes), touched_((sectors_ / kTouchGroup + 64) / 64) {
  void* const memory = ::mmap(nullptr, (sectors_ + 1) * sizeof(SectorToken), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  settled_ = static_cast<SectorToken*>(memory);
  if (shape.zone_bytes != 0) zone_written_.resize(shape.capacity_bytes / shape.zone_bytes);
}

Oracle::~Oracle() { ::munmap(settled_, (sectors_ + 1) * sizeof(SectorToken)); }

// Calls visit(first, end) for each range of sectors of a command; a trim has whole units only.
template <class Visit>
void Oracle::each_run(const IoCommand& command, Visit visit) const {
  const bool trim = command.operation == IoOperation::Trim;
  if (trim && shape_.unit_bytes == 0) return;
  for_each_range(command, [&](std::uint64_t offset, std::uint64_t length) {
    std::uint64_t begin = offset;
    std::uint64_t end = offset + length;
    if (trim) {
      begin = (begin + shape_.unit_bytes - 1) / shape_.unit_bytes * shape_.unit_bytes;
      end = end / shape_.unit_bytes * shape_.unit_bytes;
    }
    visit(begin / shape_.sector_bytes, (end + shape_.sector_bytes - 1) / shape_.sector_bytes);
  });
}

template <class Visit>
void Oracle::each_sector(const IoCommand& command, Visit visit) const {
  if (command.operation == IoOperation::ZoneReset) return each_sector_of_zones(command, visit);
  if (shape_.zone_bytes != 0 && is_write(command.operation)) {
    const std::uint64_t first = command.placed / shape_.sector_bytes;
    for (std::uint64_t at = 0; at < command.length / shape_.sector_bytes; ++at) visit(first + at);
    return;
  }
  each_run(command, [&](std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t sector = first; sector < end; ++sector) visit(sector);
  });
}

// For a command that zeroes: only visits groups of sectors that were written, since the others hold zeroes before and
// after it. So a discard of a new drive costs a step for each 64 groups.
template <class Visit>
void Oracle::each_written_sector(const IoCommand& command, Visit visit) const {
  each_run(command, [&](std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t at = first; at < end;) {
      const std::uint64_t group = at / kTouchGroup;
      const std::uint64_t later = touched_[group / 64] >> (group % 64);
      if (later == 0) {
        at = (group / 64 + 1) * 64 * kTouchGroup;
      } else if ((later & 1) == 0) {
        at = (group + static_cast<std::uint64_t>(std::countr_zero(later))) * kTouchGroup;
      } else {
        for (const std::uint64_t stop = std::min(end, (group + 1) * kTouchGroup); at < stop; ++at) visit(at);
      }
    }
  });
}

// For a zone reset: visits the sectors that may have been written.
template <class Visit>
void Oracle::each_sector_of_zones(const IoCommand& command, Visit visit) const {
  const std::uint64_t only = command.offset / shape_.zone_bytes;
  for (std::uint64_t zone = 0; zone < zone_written_.size(); ++zone)
    if (command.all_zones || zone == only)
      for (std::uint64_t at = 0; at < zone_written_[zone]; at += shape_.sector_bytes)
        visit((zone * shape_.zone_bytes + at) / shape_.sector_bytes);
}

void Oracle::touch(std::uint64_t sector) {
  touched_[sector / kTouchGroup / 64] |= std::uint64_t{1} << (sector / kTouchGroup % 64);
}

Oracle::History& Oracle::history(std::uint64_t sector) {
  const auto [found, created] = histories_.try_emplace(sector);
  // The sector's content is durable, or (without power cuts) need not be.
  if (created) {
    found->second.versions.reserve(2);  // usually this one, and the one that replaces it
    found->second.versions.push_back({.token = settled_[sector], .durable = true});
    // Commands in flight that zero it had no version of it, since it held zeroes.
    for (const Zeroing& zeroing : zeroings_)
      each_run(*zeroing.command, [&](std::uint64_t first, std::uint64_t end) {
        if (sector >= first && sector < end)
          found->second.versions.push_back({.token = 0, .submit = zeroing.submit, .complete = kOpen});
      });
  }
  return found->second;
}

void Oracle::submitted(IoCommand& command) {
  prune_left();
  const std::uint64_t now = ++event_;
  InFlight flight{now, 0};
  if (is_write(command.operation)) {
    flight.token = ++writes_;
    std::fill_n(command.tokens, command.length / shape_.sector_bytes, flight.token);
  }
  const bool zoned = shape_.zone_bytes != 0;
  if (zoned && is_write(command.operation)) note_zone_write(command);
  // An offline zone cannot be read.
  const auto add_version = [&](std::uint64_t sector) {
    touch(sector);
    History& sector_history = history(sector);
    sector_history.versions.push_back({.token = flight.token, .submit = now, .complete = kOpen});
  };
  if (zeroes(command)) {
    each_written_sector(command, add_version);
    zeroings_.push_back({&command, now});
  } else if (command.operation == (zoned ? IoOperation::ZoneReset : IoOperation::Write)) {
    each_sector(command, add_version);
  }
  if (command.operation == IoOperation::Read || (zoned && is_write(command.operation))) open_submits_.insert(now);
  in_flight_[&command] = flight;
}

void Oracle::completed(const IoCommand& command) {
  prune_left();  // of the commands before: of this one, if it is a read, the bytes may still be asked for
  const auto found = in_flight_.find(&command);
  const InFlight flight = found->second;
  in_flight_.erase(found);
  std::erase_if(zeroings_, [&](const Zeroing& zeroing) { return zeroing.command == &command; });
  if (shape_.zone_bytes != 0 && is_write(command.operation)) open_submits_.erase(flight.submit);
  ++event_;
  switch (command.operation) {
    case IoOperation::Read:
      if (command.status == IoStatus::Ok) check_read(command, flight.submit);
      open_submits_.erase(flight.submit);
      break;
    case IoOperation::ZoneReset:
      if (is_zone_error(command.status) || command.status == IoStatus::OutOfRange) {
        withdraw(command, flight);
        break;
      }
      // The reset may also have ended writes that were in flight with it.
      each_sector(command, [&](std::uint64_t sector) {
        std::vector<Version>& versions = history(sector).versions;
        if (std::none_of(versions.begin(), versions.end(),
                         [&](const Version& version) { return version.submit == flight.submit; })) {
          // The zone was empty when the reset was submitted, so its data came later: before or after the reset.
          for (Version& version : versions) version.complete = std::max(version.complete, flight.submit);
          versions.push_back({.token = 0, .submit = flight.submit, .complete = kOpen});
        }
      });
      [[fallthrough]];
    case IoOperation::Write:
    case IoOperation::ZoneAppend:
    case IoOperation::Trim:
    case IoOperation::WriteZeroes:
      if (shape_.zone_bytes != 0) {
        if (is_write(command.operation)) place(command, flight);
        if (is_write(command.operation) ? command.placed == kNowhere : !is_zone_operation(command.operation)) break;
      }
      // A write that failed by a power cut stays open: it may or may not have taken effect.
      if (command.status == IoStatus::Ok) end_write(command, flight);
      break;
    case IoOperation::Flush:
      if (command.status == IoStatus::Ok) durable_before_ = std::max(durable_before_, flight.submit);
      break;
    default:
      break;
  }
}

void Oracle::given_up(const IoCommand& write) {
  const SectorToken* token = write.tokens;
  each_sector(write, [&](std::uint64_t sector) {
    SectorToken& newest = history(sector).given_up;
    newest = std::max(newest, *token++);
  });
}

// The device gives the place of a zone write when it accepts it; the host does not know that of an append before.
void Oracle::note_zone_write(const IoCommand& command) {
  const std::uint64_t zone = command.offset / shape_.zone_bytes;
  if (zone >= zone_written_.size()) return;
  const std::uint64_t begin =
      command.operation == IoOperation::Write ? command.offset % shape_.zone_bytes : zone_written_[zone];
  zone_written_[zone] = std::min(std::max(zone_written_[zone], begin + command.length), shape_.zone_bytes);
}

// An accepted write or append becomes a version of the sectors at its place, as of its submission.
void Oracle::place(const IoCommand& command, const InFlight& flight) {
  if (command.placed == kNowhere) return;
  each_sector(command, [&](std::uint64_t sector) {
    touch(sector);
    history(sector).versions.push_back({.token = flight.token, .submit = flight.submit, .complete = kOpen});
  });
}

// The write was refused and has no effect.
void Oracle::withdraw(const IoCommand& command, const InFlight& flight) {
  each_sector(command, [&](std::uint64_t sector) {
    const auto found = histories_.find(sector);
    if (found == histories_.end()) return;
    std::erase_if(found->second.versions, [&](const Version& version) { return version.submit == flight.submit; });
    prune(sector, found->second);
  });
}

// Whether the token may be of an accepted write that has not completed: a read may show it already.
bool Oracle::may_be_placed(std::uint64_t sector, SectorToken seen) const {
  return std::any_of(in_flight_.begin(), in_flight_.end(), [&](const auto& each) {
    const IoCommand& command = *each.first;
    if (!is_write(command.operation) || each.second.token != seen || command.placed == kNowhere) return false;
    const std::uint64_t first = command.placed / shape_.sector_bytes;
    return sector >= first && sector - first < command.length / shape_.sector_bytes;
  });
}

bool Oracle::settled_durable(const Version& version) const {
  return version.durable || version.complete < durable_before_;
}

void Oracle::end_write(const IoCommand& command, const InFlight& flight) {
  const bool durable = is_write(command.operation) ? command.fua || shape_.durable_writes : shape_.durable_trims;
  std::deque<Left>& left = shape_.power_cuts && !durable ? for_flushes_ : for_reads_;
  bool follows = false;
  const auto end_version = [&](std::uint64_t sector) {
    const auto found = histories_.find(sector);
    if (found == histories_.end()) return;  // it held zeroes and is zeroed
    History& sector_history = found->second;
    for (Version& version : sector_history.versions) {
      if (version.submit == flight.submit) {
        version.complete = event_;
        version.durable = durable;
      } else if (version.complete < flight.submit && version.retired == kOpen) {
        version.retired = event_;
      }
    }
    if (prune(sector, sector_history)) return;
    if (follows && left.back().first + left.back().count == sector)
      ++left.back().count;
    else
      left.push_back({.event = event_, .first = sector, .count = 1});
    follows = true;
  };
  if (zeroes(command))
    each_written_sector(command, end_version);
  else
    each_sector(command, end_version);
}

// Event of the submission of the last write that must survive.
std::uint64_t Oracle::newest_durable(const History& sector_history) const {
  std::uint64_t submit = 0;
  for (const Version& version : sector_history.versions)
    if (settled_durable(version)) submit = std::max(submit, version.submit);
  return submit;
}

// Drops the versions for which gone() is true: they cannot be content any more.
template <class Gone>
void Oracle::drop(std::uint64_t sector, History& sector_history, Gone gone) {
  std::erase_if(sector_history.versions, [&](const Version& version) {
    const bool drops = gone(version);
    if (drops && observer_ != nullptr && version.token != 0) observer_->gone(version.token, sector);
    return drops;
  });
}

// Whether the history is closed.
bool Oracle::prune(std::uint64_t sector, History& sector_history) {
  // A read may return versions that were retired after its submission: reads in flight, and the next one after event_.
  const std::uint64_t oldest = oldest_open();
  // For every open read a write later than the one given up had been acknowledged: no read may return that one now.
  if (std::any_of(sector_history.versions.begin(), sector_history.versions.end(), [&](const Version& version) {
        return version.token > sector_history.given_up && version.complete <= oldest;
      }))
    sector_history.given_up = 0;
  if (shape_.power_cuts) {
    // A version is kept until a durable version exists that began after its end and is itself complete.
    const std::uint64_t durable_submit = newest_durable(sector_history);
    drop(sector, sector_history,
         [&](const Version& version) { return version.retired <= oldest && version.complete < durable_submit; });
  } else {
    drop(sector, sector_history, [&](const Version& version) { return version.retired <= oldest; });
  }
  if (!settle(sector, sector_history)) return false;
  histories_.erase(sector);
  return true;
}

// Whether the sector has a single version left, which is then settled, so that no history is needed.
bool Oracle::settle(std::uint64_t sector, const History& sector_history) {
  const auto& versions = sector_history.versions;
  const bool replaced = sector_history.given_up == 0 || versions.front().token > sector_history.given_up;
  if (versions.size() != 1 || !replaced || versions.front().complete == kOpen ||
      (shape_.power_cuts && !settled_durable(versions.front())) ||
      (shape_.zone_bytes != 0 && versions.front().complete > oldest_open()))  // a write under way may come before it
    return false;
  settled_[sector] = versions.front().token;
  return true;
}

void Oracle::prune(const Left& left) {
  for (std::uint64_t sector = left.first; sector < left.first + left.count; ++sector)
    if (const auto found = histories_.find(sector); found != histories_.end()) prune(sector, found->second);
}

// Prunes the histories whose awaited events (end of reads, flush) have happened, even if their sectors are never used
// again.
void Oracle::prune_left() {
  for (; !for_flushes_.empty() && for_flushes_.front().event < durable_before_; for_flushes_.pop_front())
    if (for_flushes_.front().event <= oldest_open())
      prune(for_flushes_.front());
    else
      for_reads_.push_back(for_flushes_.front());
  for (; !for_reads_.empty() && for_reads_.front().event <= oldest_open(); for_reads_.pop_front())
    prune(for_reads_.front());
}

// Whether a read may return `seen` because a write was given up: not if a later write had been acknowledged when the
// read began. Writes are numbered in the order of submission.
bool Oracle::left_by_one_given_up(const History& sector_history, SectorToken seen, std::uint64_t submit) {
  return seen <= sector_history.given_up &&
         std::none_of(sector_history.versions.begin(), sector_history.versions.end(), [&](const Version& version) {
           return version.token > sector_history.given_up && version.complete < submit;
         });
}

void Oracle::check_read(const IoCommand& command, std::uint64_t submit) {
  if (shape_.atomic_units) check_atomic(command);
  const SectorToken* token = command.tokens;
  each_sector(command, [&](std::uint64_t sector) {
    const SectorToken seen = *token++;
    ++reads_checked_;
    bool good;
    const auto found = histories_.find(sector);
    if (found == histories_.end()) {
      good = seen == settled_[sector];
    } else {
      History& sector_history = found->second;
      good = std::any_of(sector_history.versions.begin(), sector_history.versions.end(),
                         [&](const Version& version) { return version.token == seen && version.retired > submit; });
      const bool quiet =
          std::none_of(sector_history.versions.begin(), sector_history.versions.end(),
                       [&](const Version& version) { return version.submit > submit || version.complete > submit; });
      if (good && quiet) {
        pin(sector, sector_history, seen, submit);
        prune(sector, sector_history);
      } else if (!good) {
        good = left_by_one_given_up(sector_history, seen, submit);
      }
    }
    if (!good && shape_.zone_bytes != 0) good = may_be_placed(sector, seen);
    if (!good)
      mismatch(sector, "holds write " + std::to_string(seen) + " where " +
                           (found == histories_.end() ? "write " + std::to_string(settled_[sector])
                                                      : std::string("another of its latest writes")) +
                           " was acknowledged");
  });
}

// Pins the version that a read has returned. After a power cut or overlapping writes several versions could have been
// the content.
void Oracle::pin(std::uint64_t sector, History& sector_history, SectorToken seen, std::uint64_t submit) {
  auto& versions = sector_history.versions;
  const auto shown = std::find_if(versions.begin(), versions.end(), [seen](const Version& version) {
    return version.retired == kOpen && version.token == seen;
  });
  if (shown == versions.end()) return;  // another read has pinned it meanwhile
  for (auto other = versions.begin(); other != versions.end(); ++other)
    if (other != shown && other->retired == kOpen) other->retired = submit;
  const std::uint64_t since = shown->submit;
  const auto left_by_cut = [&](const Version& it) { return it.submit == since && it.retired != kOpen; };
  if (settled_durable(*shown))
    // Of the versions that a cut has left, this one is the content since then: no later cut brings back another.
    drop(sector, sector_history, left_by_cut);
  else if (std::any_of(versions.begin(), versions.end(), left_by_cut))
    shown->submit = shown->complete = submit;  // only the host may have it: once durable, it replaces the others
}

void Oracle::mismatch(std::uint64_t sector, const std::string& what) {
  if (mismatches_++ == 0)
    first_mismatch_ =
        "sector " + std::to_string(sector) + " (offset " + std::to_string(sector * shape_.sector_bytes) + ") " + what;
}

// A torn write: one sector of a unit has its token, and another sector that it covered has older contents.
void Oracle::check_atomic(const IoCommand& command) {
  const std::uint64_t sectors = shape_.unit_bytes / shape_.sector_bytes;
  const std::uint64_t first = command.offset / shape_.sector_bytes;
  const auto may_show = [this](std::uint64_t sector, SectorToken token) {
    const auto found = histories_.find(sector);
    return found != histories_.end() &&
           std::any_of(found->second.versions.begin(), found->second.versions.end(),
                       [token](const Version& version) { return version.token == token && version.retired == kOpen; });
  };
  for (std::uint64_t at = 0; at < command.length / shape_.sector_bytes; ++at) {
    const SectorToken shown = command.tokens[at];
    const std::uint64_t unit = (first + at) / sectors * sectors;
    for (std::uint64_t other = std::max(unit, first); shown != 0 && other < unit + sectors; ++other) {
      if (other - first >= command.length / shape_.sector_bytes) break;
      const SectorToken beside = command.tokens[other - first];
      if (beside != 0 && beside < shown && may_show(other, shown) && may_show(first + at, shown))
        mismatch(other, "holds write " + std::to_string(beside) + " beside a part of write " + std::to_string(shown) +
                            " of the same unit: it was torn");
    }
  }
}

void Oracle::power_cut(bool acknowledged_survive) {
  ++event_;
  for_reads_.clear();
  for_flushes_.clear();
  for (auto it = histories_.begin(); it != histories_.end();) {
    auto& [sector, sector_history] = *it;
    auto& versions = sector_history.versions;
    for (Version& version : versions) version.durable |= acknowledged_survive && version.complete != kOpen;
    const std::uint64_t durable_submit = newest_durable(sector_history);
    drop(sector, sector_history, [&](const Version& version) { return version.complete < durable_submit; });
    for (Version& version : versions) {
      version.submit = version.complete = event_;  // one of them is the content; their order no longer matters
      version.retired = kOpen;
      version.durable = !shape_.host_keeps || versions.size() == 1;  // whichever is on the device has survived
    }
    it = settle(sector, sector_history) ? histories_.erase(it) : std::next(it);
  }
  ++event_;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Oracle::touched_ranges(std::uint64_t max_length) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  const std::uint64_t group_bytes = kTouchGroup * shape_.sector_bytes;
  for (std::uint64_t group = 0; group * kTouchGroup < sectors_; ++group) {
    if (((touched_[group / 64] >> (group % 64)) & 1) == 0) continue;
    const std::uint64_t offset = group * group_bytes;
    const std::uint64_t length = std::min(group_bytes, shape_.capacity_bytes - offset);
    if (!ranges.empty() && ranges.back().first + ranges.back().second == offset &&
        ranges.back().second + length <= max_length)
      ranges.back().second += length;
    else
      ranges.emplace_back(offset, length);
  }
  return ranges;
}

void Oracle::state(StateArchive& archive) {
  if (!in_flight_.empty()) throw std::logic_error("the oracle waits for commands to complete");
  if (!archive.loading()) prune_left();
  archive.part("oracle");
  archive.differences(settled_, sectors_);
  archive(event_, writes_, durable_before_, touched_, reads_checked_, mismatches_, first_mismatch_, zone_written_);
  std::vector<std::uint64_t> sectors;  // sorted: the order of a hash table is not reproducible
  for (const auto& [sector, sector_history] : histories_) sectors.push_back(sector);
  std::sort(sectors.begin(), sectors.end());
  archive(sectors);
  for (const std::uint64_t sector : sectors) {
    History& sector_history = histories_[sector];
    archive(sector_history.versions, sector_history.given_up);
  }
  if (archive.loading()) leave_all(sectors);
}

// The lists of sectors with histories are not saved: they are rebuilt from the histories.
void Oracle::leave_all(const std::vector<std::uint64_t>& sectors) {
  std::deque<Left>& left = shape_.power_cuts ? for_flushes_ : for_reads_;
  for (const std::uint64_t sector : sectors) {
    std::uint64_t last = 0;
    for (const Version& version : histories_.at(sector).versions)
      if (version.complete != kOpen) last = std::max(last, version.complete);
    left.push_back({.event = last, .first = sector, .count = 1});
  }
  std::sort(left.begin(), left.end(),
            [](const Left& a, const Left& b) { return std::tie(a.event, a.first) < std::tie(b.event, b.first); });
}

}  // namespace flashloom
