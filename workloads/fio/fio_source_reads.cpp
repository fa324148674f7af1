// FioSource::pass_reads(): skips many reads of a pass at once.
#include <algorithm>
#include <limits>

#include "workloads/fio/fio_source.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kReadDirection = 0;

}  // namespace

// Whether next_one() would choose the same file, direction and length for every request: only the places differ.
bool FioSource::plain_reads() const {
  using Kind = FioDistribution::Kind;
  constexpr std::size_t d = kReadDirection;
  if (!used(d) || job_.mixed() || job_.rw.trims || files_.size() != 1 || job_.num_range != 1) return false;
  if (strided() || paced() || !job_.bs[d].fixed() || job_.bs_is_seq_rand) return false;
  if (!job_.rw.random) return job_.rw.run == 1 && job_.rw.step == 0;
  if (job_.rw.run != 1 || job_.percentage_random[d] != 100) return false;
  if (job_.distribution.kind == Kind::Uniform) return job_.norandommap || walks_in_order(d);
  return job_.distribution.kind != Kind::Zoned && job_.distribution.kind != Kind::ZonedAbsolute;
}

// Number of reads of `bs` bytes after which enough_sent() ends the pass.
std::uint64_t FioSource::requests_left_in_pass(std::uint64_t bs) const {
  if (job_.time_based) return std::numeric_limits<std::uint64_t>::max();
  const auto reads_of = [bs](std::uint64_t bytes) { return bytes / bs + (bytes % bs != 0 ? 1 : 0); };
  return std::min(
      {reads_of(pass_limit_ - pass_bytes_), reads_of(byte_limit_ - counted_bytes_), request_limit_ - requests_});
}

// Does what up to `most` calls of locate() would do. Returns the number of reads, and the last one's place in `place`.
std::uint64_t FioSource::locate_last(File& file, std::uint64_t most, Place& place) {
  constexpr std::size_t d = kReadDirection;
  const std::uint64_t bs = job_.bs[d].least;
  if (!job_.rw.random) {
    if (!sequential(file, d, place)) return 0;
    const std::uint64_t reads = std::min(most, (room(file) - place.at) / bs);
    if (reads != 0) place.at += (reads - 1) * bs;
    return reads;
  }
  if (file.blocks[d] == 0) return 0;
  std::uint64_t reads = most;
  if (job_.distribution.kind == FioDistribution::Kind::Uniform && !job_.norandommap) {
    Walk& walk = ordered_walk(file, d);
    reads = std::min(most, file.blocks[d] - walk.position);
    if (reads == 0) return 0;
    walk.position += reads;
    place.block = (*walk.order)(walk.position - 1);
  } else {
    for (std::uint64_t i = 0; i < reads; ++i) draw_block(file, d, place);
  }
  place.at = place.block * alignment(d);
  return reads;
}

std::uint64_t FioSource::pass_reads(std::uint64_t most, std::uint64_t& bytes) {
  if (ended_ || !plain_reads()) return 0;
  constexpr std::size_t d = kReadDirection;
  const std::uint64_t bs = job_.bs[d].least;
  std::uint64_t passed = 0;
  while (passed < most) {
    if ((passes_ == 0 || pass_over()) && !begin_pass()) break;  // the next next() ends the job
    File& file = files_.front();
    Place place;
    const std::uint64_t reads = locate_last(file, std::min(most - passed, requests_left_in_pass(bs)), place);
    if (reads == 0) break;  // the next next() ends the pass
    sent(file, d, place, bs, reads);
    pass_sent_ = true;
    passed += reads;
  }
  bytes += passed * bs;
  return passed;
}

}  // namespace flashloom
