// Family "streams": which data are written together. Each stream fills program units and blocks of its own, so that
// data of similar lifetime become invalid together.
#pragma once

#include <cstdint>
#include <string>

#include "policies/state_archive.hpp"

namespace flashloom {

/// Maximum number of streams of host data.
inline constexpr std::uint32_t kMaxStreams = 16;

/// The host's hints for a write.
struct StreamHint {
  std::uint32_t number = 0;      ///< job or trace device
  std::uint8_t directive = 0;    ///< as in NVMe (DTYPE): 0 none, 1 streams, 2 data placement
  std::uint16_t identifier = 0;  ///< of the stream, or placement identifier (DSPEC)
};
inline constexpr std::uint8_t kStreamsDirective = 1;
inline constexpr std::uint8_t kDataPlacementDirective = 2;

struct StreamContext {
  std::uint64_t logical_units = 1;  ///< of the device
};

class StreamPolicy {
 public:
  static constexpr const char* kFamily = "streams";
  using Context = StreamContext;
  virtual ~StreamPolicy() = default;

  /// Number of streams of host data, 1 to kMaxStreams; constant.
  virtual std::uint32_t count() const = 0;
  /// Name of stream 0 to count() - 1 for reports.
  virtual std::string name(std::uint32_t stream) const = 0;
  /// Whether GC copies have blocks of their own. False, with one stream only: they go into the host's blocks.
  virtual bool gc_apart() const { return true; }
  /// The stream of a logical unit that is written now with the host's `hint`. Called once a unit written, in
  /// order; not at all if there is only one stream.
  virtual std::uint32_t stream_of(std::uint32_t unit, StreamHint hint) = 0;

  /// Saves or loads the state that later decisions depend on; empty for a policy without such state.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
