#include "sc_main/program/pictures/timeline_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/block/io_command.hpp"
#include "models/cpu/arm_cores.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

constexpr const char* kSteps[kFirmwareSteps] = {"command_parse", "command_complete", "buffer_lookup",  "map_lookup",
                                                "map_update",    "flash_issue",      "flash_complete", "victim_select",
                                                "set_detect",    "write_command"};
constexpr const char* kStages[] = {"wait for bus", "command",      "data in", "array",
                                   "standing",     "wait for bus", "data out"};
constexpr std::uint32_t kThreadsAJob = 1 << 20;  // the thread numbers of a job begin at a multiple of this

std::uint64_t whole_nanoseconds(Picoseconds time) { return time / kNanosecond; }

// Microseconds with three decimals, the format's unit.
std::string micros(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string quoted(const std::string& text) { return json_text(nlohmann::json(text)); }

std::string flash_arguments(const FlashCommandInfo& info) {
  return fmt::format(R"("origin":"{}","die":{},"block":{},"page":{},"command":{})", to_string(info.origin),
                     info.address.die.value(), info.address.block.value(), info.address.page.value(), info.serial);
}

}  // namespace

TimelineWriter::TimelineWriter(TimelineRecorder& recorder, Picoseconds horizon, Picoseconds end,
                               const std::vector<std::string>& job_names)
    : recorder_(recorder), horizon_(horizon), end_(end), job_names_(job_names) {}

void TimelineWriter::slice(Track track, Picoseconds from, Picoseconds to, const std::string& name,
                           const std::string& arguments) {
  const std::uint64_t begin = whole_nanoseconds(from);
  const std::uint64_t duration = whole_nanoseconds(std::min(to, end_)) - begin;
  tracks_.insert(track);
  events_.push_back(
      {begin, duration,
       fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{{{}}}}})", track.process,
                   track.thread, micros(begin), micros(duration), quoted(name), arguments)});
}

void TimelineWriter::flow(char phase, Track track, Picoseconds at, const char* name, std::uint64_t id) {
  const std::uint64_t ns = whole_nanoseconds(at);
  events_.push_back(
      {ns, 0,
       fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"ts":{},"name":"{}","cat":"{}","id":{}{}}})", phase, track.process,
                   track.thread, micros(ns), name, name, id, phase == 'f' ? R"(,"bp":"e")" : "")});
}

TimelineWriter::Track TimelineWriter::lane(std::uint32_t job, Picoseconds from, Picoseconds to) {
  if (lanes_.size() <= job) lanes_.resize(job + 1);
  std::vector<Picoseconds>& lanes = lanes_[job];
  std::size_t lane = 0;
  while (lane < lanes.size() && lanes[lane] > from) ++lane;
  if (lane == lanes.size()) lanes.push_back(0);
  lanes[lane] = to;
  return {kHost, job * kThreadsAJob + static_cast<std::uint32_t>(lane)};
}

void TimelineWriter::requests() {
  for (const auto& request : recorder_.requests_.sorted()) {
    if (request.at >= horizon_) break;
    const Track track = lane(request.job, request.at, request.complete);
    slice(track, request.at, request.complete,
          request.length == 0
              ? kIoOperationNames[static_cast<std::size_t>(request.operation)]
              : fmt::format("{} {} B", kIoOperationNames[static_cast<std::size_t>(request.operation)], request.length),
          fmt::format(R"("number":{},"offset":{},"bytes":{},"status":"{}","latency_ns":{})", request.number,
                      request.offset, request.length, kIoStatusNames[static_cast<std::size_t>(request.status)],
                      static_cast<double>(request.complete - request.at) / static_cast<double>(kNanosecond)));
    if (request.accepted > request.at) slice(track, request.at, request.accepted, "wait for a queue entry");
    if (request.accepted > request.at && request.complete > request.accepted)
      slice(track, request.accepted, request.complete, "in the device");
    if (request.number != 0) origins_[request.number] = {track, request.accepted};
  }
}

void TimelineWriter::services() {
  for (const auto& service : recorder_.services_.sorted()) {
    if (service.at >= horizon_) break;
    if (service.resource >= TimelineRecorder::kFirstCore) {
      const FirmwareStep second = ArmCores::second_step(service.what);
      std::string name = kSteps[static_cast<std::size_t>(ArmCores::first_step(service.what))];
      if (second != FirmwareStep::Count) name += std::string(" + ") + kSteps[static_cast<std::size_t>(second)];
      slice({kFirmware, service.resource - TimelineRecorder::kFirstCore}, service.at, service.to, name);
    } else {
      const bool link = service.resource >= TimelineRecorder::kLinkDown;
      const char* const name = link ? "transfer" : service.what == 0 ? "read" : "write";
      slice({kMemory, service.resource}, service.at, service.to, name, fmt::format(R"("bytes":{})", service.amount));
    }
  }
}

TimelineWriter::Track TimelineWriter::track_of(const FlashCommandInfo& info) const {
  return {kDies, info.address.die.value() + info.lane * recorder_.geometry_.dies};
}

void TimelineWriter::commands() {
  for (const auto& command : recorder_.commands_.sorted()) {
    if (command.at >= horizon_) break;
    const FlashCommandInfo& info = command.info;
    slice(track_of(info), command.at, command.to,
          fmt::format("{} {} b{} p{}", to_string(info.origin), to_string(info.operation), info.address.block.value(),
                      info.address.page.value()),
          flash_arguments(info));
  }
  for (const auto& stage : recorder_.stages_.sorted()) {
    if (stage.at >= horizon_) break;
    const FlashCommandInfo& info = stage.info;
    const Die die = info.address.die;
    slice(track_of(info), stage.at, stage.to, kStages[static_cast<std::size_t>(stage.stage)]);
    if (on_bus(stage.stage))
      slice({kChannels, recorder_.geometry_.channel_of(die).value()}, stage.at, stage.to,
            fmt::format("die {} {} {}", die.value(), to_string(info.operation),
                        kStages[static_cast<std::size_t>(stage.stage)]),
            flash_arguments(info));
  }
}

// Writes the arrows of which both ends are in the file.
void TimelineWriter::flows() {
  std::set<std::pair<Picoseconds, std::uint32_t>> begun;  // commands, by begin and die
  for (const auto& command : recorder_.commands_.sorted())
    if (command.at < horizon_) begun.emplace(command.at, command.info.address.die.value());
  std::uint64_t id = 0;
  std::vector<TimelineRecorder::FlowEntry> collections;
  for (const auto& entry : recorder_.flows_.sorted()) {
    if (entry.at >= horizon_) break;
    if (!begun.contains({entry.at, entry.info.address.die.value()})) continue;
    if (entry.collection) {
      collections.push_back(entry);
    } else if (const auto origin = origins_.find(entry.owner); origin != origins_.end()) {
      flow('s', origin->second.track, std::min(origin->second.at, entry.at), "request", ++id);
      flow('f', track_of(entry.info), entry.at, "request", id);
    }
  }
  const auto same = [](const auto& a, const auto& b) { return a.owner == b.owner && a.after_cut == b.after_cut; };
  std::stable_sort(collections.begin(), collections.end(), [](const auto& a, const auto& b) {
    return std::pair(a.after_cut, a.owner) < std::pair(b.after_cut, b.owner);
  });
  for (std::size_t i = 0; i < collections.size();) {
    std::size_t end = i + 1;
    while (end < collections.size() && same(collections[i], collections[end])) ++end;
    ++id;
    for (std::size_t k = i; k < end && end - i > 1; ++k)
      flow(k == i ? 's' : k + 1 == end ? 'f' : 't', track_of(collections[k].info), collections[k].at, "collection", id);
    i = end;
  }
}

std::string TimelineWriter::metadata() const {
  std::string text;
  const auto name = [&text](const char* what, std::uint32_t process, std::uint32_t thread, const std::string& value) {
    fmt::format_to(std::back_inserter(text), R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}},{})",
                   process, thread, what, quoted(value), "\n");
  };
  constexpr const char* kProcesses[] = {"", "host requests", "firmware", "memory and link", "channels", "dies"};
  constexpr const char* kResources[] = {"DRAM", "NVRAM", "link down (host to device)", "link up (device to host)"};
  std::uint32_t process = 0;
  for (const Track& track : tracks_) {
    if (track.process != process) {
      process = track.process;
      name("process_name", process, track.thread, kProcesses[process]);
      fmt::format_to(std::back_inserter(text),
                     R"({{"ph":"M","pid":{},"tid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}},{})",
                     process, track.thread, process, "\n");
    }
    std::string label;
    switch (process) {
      case kHost: {
        const std::uint32_t job = track.thread / kThreadsAJob;
        label = fmt::format("{} #{}", job < job_names_.size() ? job_names_[job] : fmt::format("job {}", job),
                            track.thread % kThreadsAJob);
        break;
      }
      case kFirmware:
        label = fmt::format("core {}", track.thread);
        break;
      case kMemory:
        label = kResources[track.thread];
        break;
      case kChannels:
        label = fmt::format("channel {}", track.thread);
        break;
      default: {
        const std::uint32_t dies = recorder_.geometry_.dies;
        label = track.thread < dies
                    ? fmt::format("die {}", track.thread)
                    : fmt::format("die {}, {}", track.thread % dies,
                                  track.thread < 2 * dies ? "second command"
                                                          : "command " + std::to_string(1 + track.thread / dies));
      }
    }
    name("thread_name", process, track.thread, label);
    fmt::format_to(std::back_inserter(text),
                   R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}},{})",
                   process, track.thread, track.thread, "\n");
  }
  return text;
}

std::string TimelineWriter::text() {
  requests();
  services();
  commands();
  flows();
  // The format requires enclosing events before nested ones, and both before the arrows that begin or end in them.
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
  });
  std::string text = std::string("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"flashloom ") +
                     flashloom_version() + "\"},\n\"traceEvents\":[\n" + metadata();
  for (const Event& event : events_) {
    text += event.json;
    text += ",\n";
  }
  if (text.ends_with(",\n")) text.erase(text.size() - 2);
  text += "\n]}\n";
  return text;
}

}  // namespace flashloom
