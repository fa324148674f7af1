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

void FtlStatistics::state(StateArchive& archive) {
  for_each_counter(*this, [&](auto& field) {
    if (static_cast<const void*>(&field) != &units_zeroed) archive(field);
  });
}

}  // namespace flashloom
