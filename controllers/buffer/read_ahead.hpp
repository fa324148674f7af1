// Sequential read-ahead: finds sequential streams among host reads, and says what to read before it is asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "policies/state_archive.hpp"

namespace flashloom {

/// Follows up to kStreams streams, and replaces the least recently continued one. A read that begins where the last one
/// of a stream ended (or in the unit in which it ended) continues the stream. From its second read on data are read
/// ahead: first twice the size of the read; each time the stream comes within half a window of their end, the window
/// doubles, up to the maximum.
class ReadAhead {
 public:
  static constexpr std::size_t kStreams = 8;
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  /// `maximum`: units of the largest window; 0: never.
  explicit ReadAhead(std::uint32_t maximum) : maximum_(maximum) {}

  /// The host reads `count` units from `first` on; returns what to read ahead, behind them.
  Range read(std::uint64_t first, std::uint64_t count) {
    const std::uint64_t end = first + count;
    ++clock_;
    Stream* oldest = streams_.data();
    for (Stream& stream : streams_) {
      if (stream.used != 0 && (stream.next == first || stream.next == first + 1)) return go_on(stream, end, count);
      if (stream.used < oldest->used) oldest = &stream;
    }
    *oldest = {.next = end, .ahead = end, .window = 0, .used = clock_};
    return {};
  }

  void state(StateArchive& archive) { archive(streams_, clock_); }

 private:
  struct Stream {
    std::uint64_t next = 0;    ///< unit behind its last read
    std::uint64_t ahead = 0;   ///< unit behind what has been asked for
    std::uint64_t window = 0;  ///< units; 0: one read so far
    std::uint64_t used = 0;    ///< 0: free
  };

  Range go_on(Stream& stream, std::uint64_t end, std::uint64_t count) {
    stream.used = clock_;
    if (end == stream.next) return {};  // the same unit once more
    stream.next = end;
    stream.ahead = std::max(stream.ahead, end);
    if (stream.window != 0 && stream.ahead - end > stream.window / 2) return {};
    stream.window = std::min<std::uint64_t>(maximum_, 2 * std::max(stream.window, count));
    const std::uint64_t until = end + stream.window;
    if (until <= stream.ahead) return {};
    const Range range{stream.ahead, until - stream.ahead};
    stream.ahead = until;
    return range;
  }

  std::uint32_t maximum_;
  std::array<Stream, kStreams> streams_{};
  std::uint64_t clock_ = 0;
};

}  // namespace flashloom
