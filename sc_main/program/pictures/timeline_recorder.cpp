#include "sc_main/program/pictures/timeline_recorder.hpp"

#include <algorithm>

#include "sc_main/program/pictures/timeline_writer.hpp"

namespace flashloom {

TimelineRecorder::TimelineRecorder(const NandGeometry& geometry, const Shape& shape, std::function<Picoseconds()> now)
    : geometry_(geometry),
      shape_(shape),
      now_(std::move(now)),
      requests_(shape.limit),
      services_(shape.limit),
      commands_(shape.limit),
      stages_(shape.limit),
      flows_(shape.limit) {}

void TimelineRecorder::completed(const IoCommand& command, std::uint32_t job, bool /*measured*/) {
  if (!shape_.window.meets(command.at.arrival, command.at.complete)) return;
  // A request that the power cut failed may never have been accepted.
  const Picoseconds accepted = std::clamp(command.at.accepted, command.at.arrival, command.at.complete);
  requests_.add({command.at.arrival, accepted, command.at.complete, command.number, command.offset, command.length, job,
                 command.operation, command.status});
}

void TimelineRecorder::served(std::uint32_t resource, std::uint32_t what, std::uint64_t amount, Picoseconds from,
                              Picoseconds to) {
  if (now_() <= shape_.cut) {  // services that extend beyond a power cut are aborted there
    if (from >= shape_.cut) return;
    to = std::min(to, shape_.cut);
  }
  if (shape_.window.meets(from, to)) services_.add({from, to, amount, resource, what});
}

void TimelineRecorder::command_began(const FlashCommandInfo& info, const OnfiCommand& command, Picoseconds at) {
  if (!shape_.window.holds(at)) return;
  for (const OnfiCommand* each = &command; each != nullptr; each = each->together) add_arrows(info, *each, at);
}

void TimelineRecorder::add_arrows(const FlashCommandInfo& info, const OnfiCommand& command, Picoseconds at) {
  if (command.owners == nullptr) return;
  const bool collection = command.origin == Origin::Gc;
  const bool program = command.operation == FlashOperation::Program;
  const std::uint32_t places = command.unused_units == 0 ? command.payload_units : command.units;
  const std::uint64_t owners = program && !collection ? places : 1;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < owners; ++i) {
    const std::uint64_t owner = command.owners[i];
    // Consecutive units of one request get one arrow.
    if (owner != 0 && owner != last) flows_.add({at, owner, info, collection, at > shape_.cut});
    last = owner;
  }
}

void TimelineRecorder::stage(const FlashCommandInfo& info, FlashStage stage, Picoseconds from, Picoseconds to) {
  if (shape_.window.meets(from, to)) stages_.add({from, to, info, stage});
}

void TimelineRecorder::command_ended(const FlashCommandInfo& info, Picoseconds from, Picoseconds to) {
  if (shape_.window.meets(from, to)) commands_.add({from, to, info});
}

// The time before which all entries are written, and from which on none is.
Picoseconds TimelineRecorder::horizon() {
  std::vector<std::pair<Picoseconds, std::uint32_t>> weights;  // time of an entry, and its number of events at most
  Picoseconds horizon = kNever;
  const auto weigh = [&](auto& log, std::uint32_t weight) {
    for (const auto& entry : log.sorted()) weights.emplace_back(entry.at, weight);
    horizon = std::min(horizon, log.horizon());
  };
  weigh(requests_, 3);
  weigh(services_, 1);
  weigh(commands_, 1);
  weigh(stages_, 2);
  weigh(flows_, 2);
  std::sort(weights.begin(), weights.end());
  std::uint64_t events = 0;
  for (const auto& [at, weight] : weights) {
    if (at >= horizon) break;
    events += weight;
    if (events > shape_.limit) return at;
  }
  return horizon;
}

std::string TimelineRecorder::text(Picoseconds end, const std::vector<std::string>& job_names) {
  const Picoseconds limit = horizon();
  cut_off_ = limit <= end ? limit : kNever;
  TimelineWriter writer(*this, std::min(limit, end + 1), end, job_names);
  return writer.text();
}

}  // namespace flashloom
