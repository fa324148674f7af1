// Sequential read-ahead: finds sequential streams among host reads, and says what to read before it is asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "policies/state_archive.hpp"

namespace flashloom {

/// Follows up to kStreams streams, and replaces the least recently continued one. A read that begins within a largest
/// window of the end of a stream, on either side, continues it, since requests in flight overtake each other, if more
/// than half of the stream's range has then been asked for. From its second read on data are read ahead of the
/// furthest unit asked for: first twice the size of the read; the window grows by what the stream advances, up to the
/// maximum.
class ReadAhead {
 public:
  static constexpr std::size_t kStreams = 8;

  struct Stream {
    std::uint64_t first = 0;   ///< unit where what is known of it begins
    std::uint64_t end = 0;     ///< behind the furthest unit asked for
    std::uint64_t asked = 0;   ///< units asked for, of those between
    std::uint64_t ahead = 0;   ///< unit to be read ahead next
    std::uint64_t window = 0;  ///< units; 0: one read so far
    std::uint64_t used = 0;    ///< 0: free
  };

  /// `maximum`: units of the largest window; 0: never.
  explicit ReadAhead(std::uint32_t maximum) : maximum_(maximum) {}

  /// The host reads `count` units from `first` on. Returns the stream that goes on: it is to be read from `ahead` up to
  /// its window behind `end`, and `ahead` is to be moved. Null: there is nothing to read ahead.
  Stream* read(std::uint64_t first, std::uint64_t count) {
    ++clock_;
    Stream* oldest = streams_.data();
    for (Stream& stream : streams_) {
      if (stream.used != 0 && go_on(stream, first, count))
        return stream.ahead < stream.end + stream.window ? &stream : nullptr;
      if (stream.used < oldest->used) oldest = &stream;
    }
    *oldest = {.first = first, .end = first + count, .asked = count, .ahead = first + count, .used = clock_};
    return nullptr;
  }

  void state(StateArchive& archive) { archive(streams_, clock_); }

 private:
  // False: the read does not belong to the stream.
  bool go_on(Stream& stream, std::uint64_t first, std::uint64_t count) {
    if (first + maximum_ < stream.end || first > stream.end + maximum_) return false;
    const std::uint64_t begins = std::min(stream.first, first);
    const std::uint64_t end = std::max(stream.end, first + count);
    const std::uint64_t asked = std::min(stream.asked + count, end - begins);
    if (2 * asked <= end - begins) return false;
    const std::uint64_t advance = end - stream.end;
    stream.used = clock_;
    stream.first = begins;
    stream.end = end;
    stream.asked = asked;
    if (end - begins > 2 * std::uint64_t{maximum_}) {  // forgets the older half
      stream.first += (end - begins) / 2;
      stream.asked /= 2;
    }
    // Holes are read with what lies behind them: their requests are on their way, or their pages are read anyway.
    stream.ahead = std::max(stream.ahead, first <= stream.ahead ? end : end - std::min<std::uint64_t>(end, maximum_));
    if (advance != 0) stream.window = std::min<std::uint64_t>(maximum_, std::max(2 * count, stream.window + advance));
    return true;
  }

  std::uint32_t maximum_;
  std::array<Stream, kStreams> streams_{};
  std::uint64_t clock_ = 0;
};

}  // namespace flashloom
