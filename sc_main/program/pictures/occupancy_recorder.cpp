#include "sc_main/program/pictures/occupancy_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace flashloom {
namespace {

constexpr const char* kBusWords[] = {"", "command", "data in", "", "", "", "data out"};

}  // namespace

OccupancyRecorder::OccupancyRecorder(const NandGeometry& geometry)
    : geometry_(geometry),
      channels_(std::clamp(kRows / (1 + geometry.dies_per_channel()), 1U, geometry.channels)),
      stretches_{stretch(0), stretch(kMicrosecond)} {}

void OccupancyRecorder::stage(const FlashCommandInfo& info, FlashStage stage, Picoseconds from, Picoseconds to) {
  if (geometry_.channel_of(info.address.die).value() >= channels_) return;
  if (!on_bus(stage) && stage != FlashStage::Array) return;
  while (from >= 2 * stretches_[1].begin) {
    stretches_[0] = std::move(stretches_[1]);
    stretches_[1] = stretch(2 * stretches_[0].begin);
  }
  for (Stretch& each : stretches_)
    if (to > each.begin) each.intervals.add({std::max(from, each.begin), to, info, stage});
}

std::string OccupancyRecorder::csv(Picoseconds end) {
  for (Stretch& each : stretches_) each.intervals.sorted();
  const auto full = [](const Stretch& each) { return each.intervals.horizon() != kNever; };
  Stretch& shown = full(stretches_[1]) || stretches_[0].intervals.empty() ? stretches_[1] : stretches_[0];
  const Picoseconds until = std::min(shown.intervals.horizon(), end);
  std::string text = "row,part,state,origin,begin_us,end_us,start_us\n";
  const auto out = std::back_inserter(text);
  // A line without a state for each row, so that idle parts have a row, too.
  const double start = microseconds(shown.begin);
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    const std::uint32_t row = channel * (1 + geometry_.dies_per_channel());
    fmt::format_to(out, "{},channel {},,,0,0,{}\n", row, channel, start);
    for (std::uint32_t position = 0; position < geometry_.dies_per_channel(); ++position)
      fmt::format_to(out, "{},die {},,,0,0,{}\n", row + 1 + position,
                     geometry_.die_at(Channel{channel}, position).value(), start);
  }
  for (const Interval& interval : shown.intervals.sorted()) {
    if (interval.at >= until) break;
    const Die die = interval.info.address.die;
    const std::uint32_t channel = geometry_.channel_of(die).value();
    const std::uint32_t row = channel * (1 + geometry_.dies_per_channel());
    const std::uint32_t die_row = row + 1 + geometry_.position_on_channel(die);
    const double begin = microseconds(interval.at - shown.begin);
    const double to = microseconds(std::min(interval.to, until) - shown.begin);
    const char* const origin = to_string(interval.info.origin);
    if (on_bus(interval.stage)) {
      fmt::format_to(out, "{},channel {},{},{},{},{},{}\n", row, channel,
                     kBusWords[static_cast<std::size_t>(interval.stage)], origin, begin, to, start);
      fmt::format_to(out, "{},die {},transfer,{},{},{},{}\n", die_row, die.value(), origin, begin, to, start);
    } else {
      fmt::format_to(out, "{},die {},{},{},{},{},{}\n", die_row, die.value(), to_string(interval.info.operation),
                     origin, begin, to, start);
    }
  }
  return text;
}

}  // namespace flashloom
