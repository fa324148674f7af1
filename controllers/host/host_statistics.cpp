#include "controllers/host/host_statistics.hpp"

#include <utility>

#include "models/common/counters.hpp"

namespace flashloom {

HostStatistics& HostStatistics::operator+=(const HostStatistics& other) {
  add(*this, other);
  return *this;
}

void HostStatistics::append(const HostStatistics& next, double times) {
  HostStatistics sum = next;
  multiply(sum, times);
  add(sum, *this);
  sum.begin.value = begin.value;
  sum.end.value = end.value + static_cast<Picoseconds>(static_cast<double>(next.elapsed()) * times);
  *this = std::move(sum);
}

}  // namespace flashloom
