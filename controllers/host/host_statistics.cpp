#include "controllers/host/host_statistics.hpp"

#include "models/common/counters.hpp"

namespace flashloom {

HostStatistics& HostStatistics::operator+=(const HostStatistics& other) {
  add(*this, other);
  return *this;
}

}  // namespace flashloom
