#include "controllers/array/array_layout.hpp"

#include <limits>
#include <numeric>

namespace flashloom {
namespace {

constexpr std::uint64_t kLeastLock = 4096;

std::uint32_t mirrors_of(const ArrayConfig& array) {
  return array.level == "raid1" ? array.drives : array.level == "raid10" ? 2 : 1;
}

}  // namespace

ArrayLayout::ArrayLayout(const ArrayConfig& array, std::uint64_t drive_bytes)
    : slots_(array.drives),
      parities_(array.level == "raid6"   ? 2
                : array.level == "raid5" ? 1
                                         : 0),
      mirrors_(mirrors_of(array)),
      data_(slots_ / mirrors_ - parities_),
      chunk_(array.level == "jbod" ? drive_bytes : array.chunk),
      stripes_(drive_bytes / chunk_),
      lock_bytes_(stripe_bytes()) {
  if (parities_ != 0 || mirrors_ == 1) return;
  // Mirrors only need writes to the same place to be ordered: small locks, whose numbers must fit into 32 bits.
  lock_bytes_ = std::gcd(kLeastLock, array.chunk);
  while (capacity() / lock_bytes_ >= std::numeric_limits<std::uint32_t>::max() && array.chunk % (2 * lock_bytes_) == 0)
    lock_bytes_ *= 2;
}

}  // namespace flashloom
