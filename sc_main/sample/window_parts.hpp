// The parts of windows, and from which of them on windows are in a steady state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/block/io_command.hpp"
#include "workloads/log_histogram.hpp"

namespace flashloom {

/// A window begins where the instant clock has come to: queues and dies are empty, and what a timed device has on its way
/// to flash is not there. So its first requests are not like the others. A window is looked at in parts, each as long as
/// all before it together.
inline constexpr std::size_t kWindowParts = 5;
/// The requests of the window after which its parts end; one that ends with the one before it is empty.
using PartEnds = std::array<std::uint64_t, kWindowParts>;
PartEnds window_parts(std::uint64_t length);

/// What was seen of a part. Its latencies are told from those of other parts, and not reported: 16 buckets an octave do.
struct WindowPart {
  using Latencies = LogHistogram<4>;

  std::uint64_t requests = 0;
  Picoseconds time = 0;
  std::array<Latencies, kIoOperations> latencies{};  ///< by operation

  /// Picoseconds a request.
  double pace() const { return requests == 0 ? 0 : static_cast<double>(time) / static_cast<double>(requests); }

  template <class Archive>
  void state(Archive& archive) {
    archive(requests, time);
    for (Latencies& histogram : latencies) archive(histogram);
  }
};
using WindowParts = std::array<WindowPart, kWindowParts>;

/// The first part that does not differ from the last one, nor does any behind it: 1 ... kWindowParts - 1, of which the
/// last one is half of the window. Compared are, over all windows, the time a request, and of each operation mean latency
/// and the shares above median and 95 % of the last part: a part differs where the mean of the differences is more than
/// three standard errors from 0, and more than a five hundredth of the value. The last part alone: the windows are too
/// short to say that they settle.
std::size_t steady_from(const std::vector<WindowParts>& windows);
/// By how much the last part still differs from the one before it, relative to itself, beyond two standard errors: as much
/// again may be left of a begin that is forgotten by half with each part. In time a request, and in the mean latency of
/// each operation.
struct LeftOfBegin {
  double pace = 0;
  std::array<double, kIoOperations> latency{};
};
LeftOfBegin left_of_begin(const std::vector<WindowParts>& windows);
/// Whether the last part but one has another time a request than the last one, by the same rule and by more than a
/// hundredth: of more windows than steady_from() was asked of, that none forgets its begin.
bool still_changes(const std::vector<WindowParts>& windows);

}  // namespace flashloom
