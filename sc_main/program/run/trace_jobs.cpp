#include "sc_main/program/run/trace_jobs.hpp"

#include <algorithm>
#include <filesystem>

#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/assembly/config/verbose.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "workloads/composite/concat_source.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

[[noreturn]] void fail(const TraceSpec& spec, const std::string& message) {
  throw UsageError("--trace " + spec.path + ": " + message);
}

std::string range(const TraceSpace& space) {
  return format_exact(Quantity::Bytes, space.offset) + " to " +
         format_exact(Quantity::Bytes, space.offset + space.size);
}

std::vector<TraceSpace> equal_shares(std::size_t traces, const DeviceSpace& device) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  const std::uint64_t unit = device.capacity / traces >= kMiB ? kMiB : device.sector_size;
  const std::uint64_t share = device.capacity / traces / unit * unit;
  if (share == 0) throw UsageError("--trace: more traces than the device has sectors");
  std::vector<TraceSpace> spaces;
  for (std::size_t i = 0; i < traces; ++i) spaces.push_back({.offset = i * share, .size = share});
  return spaces;
}

void check_apart(const std::vector<TraceSpec>& traces, const std::vector<TraceSpace>& spaces) {
  for (std::size_t i = 0; i < spaces.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const TraceSpace& a = spaces[j];
      const TraceSpace& b = spaces[i];
      const bool same = a.offset == b.offset && a.size == b.size;
      if (!same && a.offset < b.offset + b.size && b.offset < a.offset + a.size)
        fail(traces[i], "its part of the device (" + range(b) + ") overlaps that of " + traces[j].path + " (" +
                            range(a) + "); give each its offset and size, or both the same");
    }
}

std::unique_ptr<RequestSource> open_timed(const TraceSpec& spec, const std::shared_ptr<TraceNotes>& notes,
                                          bool timed_replay) {
  tell("trace " + spec.path + (spec.format.empty() ? ", its format found out" : ", of format " + spec.format));
  auto source = open_trace(spec.path, {.format = spec.format, .parameters = spec.parameters, .notes = notes});
  if (timed_replay && !source->timed())
    throw WorkloadError(spec.path, 0,
                        "the trace has no times, so a timed replay cannot place its requests; say "
                        "--set host.replay=closed");
  return source;
}

}  // namespace

std::string trace_names(const TraceSet& set) {
  const std::string first = base_name(set.traces.front().path);
  const std::size_t more = set.traces.size() - 1;
  return more == 0 ? first : first + " and " + std::to_string(more) + " more";
}

std::vector<TraceSpace> trace_spaces(const std::vector<TraceSpec>& traces, const DeviceSpace& device) {
  const bool said = std::any_of(traces.begin(), traces.end(), [](const auto& t) { return t.offset || t.size; });
  if (!said && traces.size() > 1) return equal_shares(traces.size(), device);
  std::vector<TraceSpace> spaces;
  std::uint64_t next = 0;
  for (const TraceSpec& spec : traces) {
    TraceSpace space{.offset = spec.offset.value_or(next), .size = 0};
    if (space.offset % device.sector_size != 0 || spec.size.value_or(0) % device.sector_size != 0)
      fail(spec, "offset and size must be whole sectors (" + std::to_string(device.sector_size) + " bytes)");
    if (space.offset >= device.capacity)
      fail(spec, "begins at " + format_exact(Quantity::Bytes, space.offset) + ", beyond the device (" +
                     format_exact(Quantity::Bytes, device.capacity) + ")");
    space.size = spec.size.value_or(device.capacity - space.offset);
    if (space.size > device.capacity - space.offset)
      fail(spec, "offset " + format_exact(Quantity::Bytes, space.offset) + " and size " +
                     format_exact(Quantity::Bytes, space.size) + " reach beyond the device (" +
                     format_exact(Quantity::Bytes, device.capacity) + ")");
    next = space.offset + space.size;
    spaces.push_back(space);
  }
  check_apart(traces, spaces);
  return spaces;
}

std::vector<HostJob> open_trace_jobs(const TraceSet& set, AddressFit fit, const DeviceConfig& config,
                                     const DeviceSpace& device, bool clocked,
                                     const std::shared_ptr<TraceNotes>& notes) {
  const bool timed = config.host.replay == "timed";
  std::vector<SourceOpener> openers;
  for (const TraceSpec& spec : set.traces)
    openers.push_back([spec, notes, needed = timed && clocked] { return open_timed(spec, notes, needed); });
  std::vector<TraceSpace> spaces{{.offset = 0, .size = device.capacity}};
  if (set.concat)
    openers = {[parts = openers, gap = set.gap_ps] { return std::make_unique<ConcatSource>(parts, gap); }};
  else
    spaces = trace_spaces(set.traces, device);

  std::vector<HostJob> jobs;
  for (std::size_t i = 0; i < openers.size(); ++i) {
    HostJob job;
    job.name = set.concat ? trace_names(set) : base_name(set.traces[i].path);
    const auto namesake = [&job](const HostJob& other) { return other.name == job.name; };
    if (std::any_of(jobs.begin(), jobs.end(), namesake)) job.name.append("#").append(std::to_string(i + 1));
    job.iodepth = config.host.iodepth;
    job.open_loop = timed;
    job.stream = static_cast<std::uint8_t>(i);
    if (openers.size() == 1)
      job.queues = config.host.queues;  // there is no other job to use them
    else
      job.queue = static_cast<std::uint32_t>(i) % config.host.queues;
    job.offset = spaces[i].offset;
    job.name_space = device.namespaces.empty() ? 0 : 1;
    job.source = fit_addresses(openers[i], {.capacity = spaces[i].size, .sector_size = device.sector_size}, fit);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace flashloom
