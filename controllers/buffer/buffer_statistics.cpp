#include "controllers/buffer/buffer_statistics.hpp"

#include "models/common/counters.hpp"

namespace flashloom {

BufferStatistics& BufferStatistics::operator+=(const BufferStatistics& other) {
  add(*this, other);
  return *this;
}

BufferStatistics& BufferStatistics::operator-=(const BufferStatistics& other) {
  subtract(*this, other);
  return *this;
}

}  // namespace flashloom
