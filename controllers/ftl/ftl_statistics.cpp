#include "controllers/ftl/ftl_statistics.hpp"

#include "models/common/counters.hpp"

namespace flashloom {

FtlStatistics& FtlStatistics::operator+=(const FtlStatistics& other) {
  add(*this, other);
  return *this;
}

FtlStatistics& FtlStatistics::operator-=(const FtlStatistics& other) {
  subtract(*this, other);
  return *this;
}

}  // namespace flashloom
