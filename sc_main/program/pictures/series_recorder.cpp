#include "sc_main/program/pictures/series_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "models/common/counters.hpp"

namespace flashloom {
namespace {

constexpr const char* kFlash[kFlashOperations] = {"flash_reads", "flash_programs", "flash_erases"};

// Mean power in each bin of `cut`, whose width is a multiple of that of the bins of `power`.
std::vector<double> power_by_bin(const BinCut& cut, const PowerSeries& power) {
  std::vector<double> watts(cut.count);
  for (std::size_t i = 0; i < power.watts.size(); ++i) {
    // The last bin of `power` may extend beyond the end of a bin of `cut`.
    Picoseconds from = power.bins.begin_of(i);
    const Picoseconds to = from + power.bins.width_of(i);
    while (from < to) {
      const std::size_t bin = cut.bin_of(from / cut.width);
      const Picoseconds part = std::min(to, cut.begin_of(bin) + cut.width_of(bin)) - from;
      watts[bin] += power.watts[i] * static_cast<double>(part) / static_cast<double>(cut.width_of(bin));
      from += part;
    }
  }
  return watts;
}

}  // namespace

SeriesRecorder::Bin SeriesRecorder::merge(const Bin& a, const Bin& b, Picoseconds /*width*/) {
  Bin sum = a;
  add(sum, b);
  return sum;
}

SeriesRecorder::SeriesRecorder(const NandGeometry& geometry, std::function<Picoseconds()> now,
                               std::function<bool(Levels&)> levels)
    : geometry_(geometry), now_(std::move(now)), levels_(std::move(levels)), bins_(kBins) {}

SeriesRecorder::Bin& SeriesRecorder::bin() {
  Bin& bin = bins_.reach(now_(), merge);
  if (Levels levels; bin.samples == 0 && levels_(levels)) {
    bin.samples = 1;
    bin.least_free_blocks.value = levels.least_free_blocks;
    bin.dirty_sum = levels.dirty_share;
  }
  return bin;
}

void SeriesRecorder::completed(const IoCommand& command, std::uint32_t /*job*/, bool measured) {
  if (!measured || command.status != IoStatus::Ok) return;
  const Picoseconds latency = command.at.complete - command.at.arrival;
  add(bin().operations[static_cast<std::size_t>(command.operation)],
      Operation{1, command.length, static_cast<double>(latency), {latency}});
}

void SeriesRecorder::flash_completed(const OnfiCommand& command) {
  Bin& into = bin();
  const bool program = command.operation == FlashOperation::Program;
  into.pages[static_cast<std::size_t>(command.operation)][static_cast<std::size_t>(command.origin)] +=
      program ? geometry_.program_pages : 1;
  if (program && command.origin == Origin::Gc) into.units_moved += command.payload_units;
}

bool SeriesRecorder::programmed(Origin origin) const {
  for (std::size_t i = 0; i < kBins; ++i)
    if (bins_[i].pages[static_cast<std::size_t>(FlashOperation::Program)][static_cast<std::size_t>(origin)] != 0)
      return true;
  return false;
}

std::vector<std::string> SeriesRecorder::program_origins() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kOrigins; ++i)
    if (programmed(static_cast<Origin>(i))) names.emplace_back(to_string(static_cast<Origin>(i)));
  return names;
}

std::string SeriesRecorder::csv(Picoseconds end, const PowerSeries& power) const {
  DoublingBins<Bin> raw = bins_;
  // Widens the bins to at least the width of the power's bins, and as the length of the run needs.
  raw.widen(std::max(end, power.bins.width * (kBins / 2)), merge);
  const BinCut cut(raw.width(), end);
  std::vector<Bin> bins(cut.count);
  for (std::size_t i = 0; i < kBins && cut.count != 0; ++i) add(bins[cut.bin_of(i)], raw[i]);
  const std::vector<double> watts = power_by_bin(cut, power);

  std::string text = "time_s,duration_s";
  std::size_t operations = kPlainOperations - 1;  // write zeroes and later operations only if there were any
  for (const Bin& bin : bins)
    for (std::size_t i = operations; i < kIoOperations; ++i)
      if (bin.operations[i].ios != 0) operations = i + 1;
  for (std::size_t i = 0; i < operations; ++i)
    text += fmt::format(",{0}_ios,{0}_bytes,{0}_iops,{0}_bytes_per_s,{0}_latency_mean_ns,{0}_latency_max_ns",
                        kIoOperationNames[i]);
  for (const char* const name : kFlash) text += fmt::format(",{0}_host,{0}_gc,{0}_other", name);
  text += ",gc_units_moved";
  std::vector<std::size_t> programmers;  // host and gc always, the others if they programmed
  for (std::size_t i = 0; i < kOrigins; ++i) {
    const auto origin = static_cast<Origin>(i);
    if (origin != Origin::Host && origin != Origin::Gc && !programmed(origin)) continue;
    programmers.push_back(i);
    text += fmt::format(",{}_programs_per_s", to_string(origin));
  }
  text += ",erases_per_s,free_blocks_min,buffer_dirty_share,power_w\n";
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const Bin& bin = bins[i];
    const double duration = seconds(cut.width_of(i));
    const auto rate = [duration](std::uint64_t n) { return static_cast<double>(n) / duration; };
    fmt::format_to(out, "{},{}", seconds(cut.begin_of(i)), duration);
    for (std::size_t k = 0; k < operations; ++k) {
      const Operation& operation = bin.operations[k];
      fmt::format_to(out, ",{},{},{},{}", operation.ios, operation.bytes, rate(operation.ios), rate(operation.bytes));
      if (operation.ios == 0)
        text += ",,";  // there is no latency
      else
        fmt::format_to(out, ",{},{}",
                       operation.latency_sum / static_cast<double>(operation.ios) / static_cast<double>(kNanosecond),
                       static_cast<double>(operation.latency_max.value) / static_cast<double>(kNanosecond));
    }
    constexpr auto kHost = static_cast<std::size_t>(Origin::Host), kGc = static_cast<std::size_t>(Origin::Gc);
    const auto all = [](const auto& pages) { return std::accumulate(pages.begin(), pages.end(), std::uint64_t{0}); };
    for (const auto& pages : bin.pages)
      fmt::format_to(out, ",{},{},{}", pages[kHost], pages[kGc], all(pages) - pages[kHost] - pages[kGc]);
    const auto& programs = bin.pages[static_cast<std::size_t>(FlashOperation::Program)];
    const auto& erases = bin.pages[static_cast<std::size_t>(FlashOperation::Erase)];
    fmt::format_to(out, ",{}", bin.units_moved);
    for (const std::size_t origin : programmers) fmt::format_to(out, ",{}", rate(programs[origin]));
    fmt::format_to(out, ",{}", rate(all(erases)));
    if (bin.samples == 0)
      text += ",,";
    else
      fmt::format_to(out, ",{},{}", bin.least_free_blocks.value, bin.dirty_sum / bin.samples);
    fmt::format_to(out, ",{}\n", watts[i]);
  }
  return text;
}

}  // namespace flashloom
