// Family "streams": which data are written together. Each stream fills program units and blocks of its own, so what is
// written together can become invalid together.
#pragma once

#include <cstdint>
#include <string>

#include "policies/state_archive.hpp"

namespace flashloom {

/// Most streams of host data.
inline constexpr std::uint32_t kMaxStreams = 16;

/// What the host says of a write.
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

  /// Streams of host data, 1 to kMaxStreams; does not change.
  virtual std::uint32_t count() const = 0;
  /// Of stream 0 to count() - 1: a word for reports.
  virtual std::string name(std::uint32_t stream) const = 0;
  /// GC's copies have blocks of their own. False, with one stream only: they go into the host's.
  virtual bool gc_apart() const { return true; }
  /// The stream of a logical unit that is written now, and of which the host says `hint`. Called once a unit written, in
  /// order; not at all if there is only one stream.
  virtual std::uint32_t stream_of(std::uint32_t unit, StreamHint hint) = 0;

  /// Saves or loads what later decisions depend on; a policy that has nothing of the kind says so by an empty body.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
