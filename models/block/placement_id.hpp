// Where the host wants the data of a write to go.
#pragma once

#include <cstdint>

namespace flashloom {

/// The directive types of NVMe, with their numbers (DTYPE).
enum class Directive : std::uint8_t { None = 0, Streams = 1, DataPlacement = 2 };

/// Identifier of a stream, or placement identifier of flexible data placement (DSPEC).
struct PlacementId {
  Directive directive = Directive::None;
  std::uint16_t identifier = 0;

  bool operator==(const PlacementId&) const = default;
};

}  // namespace flashloom
