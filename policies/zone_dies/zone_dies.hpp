// Family "zone_dies": which dies a zone occupies, where it occupies only some (ftl.kind "zoned", dies). The dies are
// divided into sets of one size; zones take the sets in turn.
#pragma once

#include <cstdint>

namespace flashloom {

/// Dies are numbered channel first: die d is on channel d modulo `channels`.
struct ZoneDiesContext {
  std::uint32_t channels = 1;
  std::uint32_t dies = 1;         ///< of the device: a multiple of `channels`
  std::uint32_t dies_of_set = 1;  ///< divides `dies`

  std::uint32_t sets() const { return dies / dies_of_set; }
};

class ZoneDiesPolicy {
 public:
  static constexpr const char* kFamily = "zone_dies";
  using Context = ZoneDiesContext;
  virtual ~ZoneDiesPolicy() = default;

  /// The die that takes the set's program units as its `member`-th (below dies_of_set), in turn. Each die belongs to
  /// exactly one set.
  virtual std::uint32_t die(std::uint32_t set, std::uint32_t member) const = 0;
};

}  // namespace flashloom
