#include "controllers/tier/tier_statistics.hpp"

namespace flashloom {

TierRequests& TierRequests::operator+=(const TierRequests& other) {
  reads += other.reads;
  read_hits += other.read_hits;
  writes += other.writes;
  write_hits += other.write_hits;
  read_bytes += other.read_bytes;
  read_hit_bytes += other.read_hit_bytes;
  write_bytes += other.write_bytes;
  write_hit_bytes += other.write_hit_bytes;
  return *this;
}

TierRequests TierStatistics::total() const {
  TierRequests sum;
  for (const TierRequests& stream : streams) sum += stream;
  return sum;
}

}  // namespace flashloom
