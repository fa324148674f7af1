#include "controllers/tier/tier_statistics.hpp"

#include "models/common/counters.hpp"

namespace flashloom {

TierRequests& TierRequests::operator+=(const TierRequests& other) {
  add(*this, other);
  return *this;
}

TierRequests TierStatistics::total() const {
  TierRequests sum;
  for (const TierRequests& stream : streams) sum += stream;
  return sum;
}

}  // namespace flashloom
