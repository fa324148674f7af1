// The parts of a window, and the part from which on windows are in a steady state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/block/io_command.hpp"
#include "workloads/log_histogram.hpp"

namespace flashloom {

/// A window begins from the state of the instant clock: queues are empty, dies idle, and no data is in flight to flash
/// as it is on the timed clock. So its first requests are in a transient. A window is divided into parts, each as long
/// as all parts before it together.
inline constexpr std::size_t kWindowParts = 5;
/// The number of requests after which each part ends; a part with the same end as the one before it is empty.
using PartEnds = std::array<std::uint64_t, kWindowParts>;
PartEnds window_parts(std::uint64_t length);

/// What was measured in a part. Its latencies are compared with other parts', not reported: 16 buckets an octave
/// suffice.
struct WindowPart {
  using Latencies = LogHistogram<4>;

  std::uint64_t requests = 0;
  Picoseconds time = 0;
  std::array<Latencies, kIoOperations> latencies{};  ///< by operation

  /// Picoseconds per request.
  double pace() const { return requests == 0 ? 0 : static_cast<double>(time) / static_cast<double>(requests); }

  template <class Archive>
  void state(Archive& archive) {
    archive(requests, time);
    for (Latencies& histogram : latencies) archive(histogram);
  }
};
using WindowParts = std::array<WindowPart, kWindowParts>;

/// The first part, 1 .. kWindowParts - 1, such that neither it nor any later part differs from the last one (half of
/// the window). Three figures are compared over all windows: the time per request and, for each operation, the mean
/// latency and the shares of latencies above the last part's median and 95th percentile. A part differs if the mean
/// difference of a figure is more than three standard errors, and more than 0.2 % of its value. Returns kWindowParts -
/// 1 if the windows are too short to show that they settle.
std::size_t steady_from(const std::vector<WindowParts>& windows);
/// What may be left of the initial transient in the last part: the difference between it and the part before it beyond
/// two standard errors, relative to the last part. (If the transient halves from part to part, the last part has as
/// much left as that difference.) For the time per request, and the mean latency of each operation.
struct LeftOfBegin {
  double pace = 0;
  std::array<double, kIoOperations> latency{};
};
LeftOfBegin left_of_begin(const std::vector<WindowParts>& windows);
/// Whether the time per request still differs between the last two parts by more than three standard errors and more
/// than 1 %. More windows than steady_from() was given may show so that none of them settles.
bool still_changes(const std::vector<WindowParts>& windows);

}  // namespace flashloom
