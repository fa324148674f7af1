#include "models/hdd/disk_arm.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/common/config_problem.hpp"

namespace flashloom {

namespace {

SeekCurve seek_curve(const HddConfig& config, std::uint32_t cylinders) {
  try {
    return {config.track_to_track, config.average_seek, config.full_stroke, cylinders};
  } catch (const std::invalid_argument& error) {
    throw ConfigProblem("hdd.average_seek", {error.what()});
  }
}

}  // namespace

DiskArm::DiskArm(const HddConfig& config, const DiskGeometry& geometry)
    : geometry_(geometry),
      seek_(seek_curve(config, geometry.cylinders())),
      head_switch_(config.head_switch),
      write_settle_(config.write_settle),
      track_settle_(config.track_settle) {}

Picoseconds DiskArm::move(const DiskTrack& from, const DiskTrack& to, bool write) const {
  if (from == to) return 0;
  const std::uint32_t distance = std::max(from.cylinder, to.cylinder) - std::min(from.cylinder, to.cylinder);
  const Picoseconds read = distance == 0 ? head_switch_ : seek_(distance);
  return write ? read + (distance < 2 ? track_settle_ : write_settle_) : read;
}

Picoseconds DiskArm::reach(DiskSector sector, bool write, Picoseconds at) const {
  const DiskPlace place = geometry_.place(sector);
  const Picoseconds moved = move(track_, place.track, write);
  return moved + geometry_.wait(place, at + moved);
}

DiskTrack DiskArm::following(DiskTrack track) const {
  if (track.head + 1 != geometry_.heads()) return {track.cylinder, track.head + 1};
  return {track.cylinder + 1, 0};
}

DiskAccess DiskArm::access(DiskSector first, std::uint64_t count, bool write, Picoseconds at) const {
  DiskPlace place = geometry_.place(first);
  DiskAccess access;
  access.begin = at;
  access.on_track = at + move(track_, place.track, write);
  access.first = access.on_track + geometry_.wait(place, access.on_track);
  Picoseconds now = access.first;
  for (;;) {
    const auto here = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, place.sectors - place.sector));
    now += geometry_.pass(place, here);
    count -= here;
    first += here;
    if (count == 0) break;
    const Picoseconds moved = now + move(place.track, following(place.track), write);
    place = geometry_.place(first);
    const Picoseconds next = moved + geometry_.wait(place, moved);
    access.between += next - now;
    now = next;
  }
  access.end = now;
  return access;
}

DiskProgress DiskArm::progress(DiskSector first, std::uint64_t count, bool write, Picoseconds from,
                               Picoseconds now) const {
  DiskProgress done{0, from};
  DiskPlace place = geometry_.place(first);
  for (Picoseconds at = from + geometry_.wait(place, from); at < now;) {
    auto here = static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done.sectors, place.sectors - place.sector));
    if (at + geometry_.pass(place, here) > now) {
      // Estimates by angle, then corrects the rounding.
      here = std::min(here, static_cast<std::uint32_t>((now - at) * place.sectors / geometry_.revolution()) + 1);
      while (here != 0 && at + geometry_.pass(place, here) > now) --here;
      if (here != 0) done = {done.sectors + here, at + geometry_.pass(place, here)};
      return done;
    }
    done = {done.sectors + here, at + geometry_.pass(place, here)};
    if (done.sectors == count) break;
    at = done.at + move(place.track, following(place.track), write);
    place = geometry_.place(first + done.sectors);
    at += geometry_.wait(place, at);
  }
  return done;
}

void check_config(const HddConfig& hdd, std::uint32_t sector) {
  require(hdd.physical_sector % sector == 0, "hdd.physical_sector", MessageBytes{hdd.physical_sector},
          " is no multiple of host_interface.sector_size, ", MessageBytes{sector});
  require(hdd.write_buffer >= hdd.physical_sector, "hdd.write_buffer", MessageBytes{hdd.write_buffer},
          " does not hold one hdd.physical_sector, ", MessageBytes{hdd.physical_sector});
  const DiskGeometry geometry(hdd);  // the constructors check the geometry
  const DiskArm arm(hdd, geometry);
}

}  // namespace flashloom
