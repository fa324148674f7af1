#include "models/channel/protocol_checker.hpp"

#include <algorithm>

#include "models/nand/plane_groups.hpp"

namespace flashloom {
namespace {

constexpr const char* kPhaseNames[] = {"BEGIN_REQ",  "bus granted", "END_REQ",    "array stands",
                                       "array runs", "BEGIN_RESP",  "begin data", "END_RESP"};

}  // namespace

void OnfiProtocolChecker::expect(bool good, const OnfiCommand& command, OnfiPhase phase, Picoseconds at,
                                 const char* rule) {
  if (good || errors_.size() == kMessages) return;
  errors_.push_back("die " + std::to_string(command.address.die.value()) + ", " +
                    kPhaseNames[static_cast<std::size_t>(phase)] + " at " + std::to_string(at) + " ps: " + rule);
}

void OnfiProtocolChecker::occupy(const OnfiCommand& command, OnfiPhase phase, Picoseconds from, Picoseconds time) {
  expect(from >= bus_free_, command, phase, from, "the bus is in use");
  const std::uint32_t position = geometry_.position_on_channel(command.address.die);
  const bool turns = selected_ != kNone && !timing_.same_way(selected_, position);
  expect(!turns || from >= bus_free_ + timing_.way_switch_time(), command, phase, from, "the bus turns to another way");
  selected_ = position;
  bus_free_ = std::max(bus_free_, from + time);
}

// Whether the command may join those of its die: a cache command, an interrupting read, or a read of other planes.
bool OnfiProtocolChecker::may_join(const DieState& die, const OnfiCommand& command) const {
  if (die.commands.empty()) return true;
  if (geometry_.plane_groups > 1 && command.operation == FlashOperation::Read)
    return std::all_of(die.commands.begin(), die.commands.end(), [&](const OnfiCommand* other) {
      return other->operation == FlashOperation::Read
                 ? (plane_groups_of(*other, geometry_) & plane_groups_of(command, geometry_)) == 0
                 : timing_.overlap().suspends(other->operation);
    });
  if (die.commands.size() > 1) return false;
  const OnfiCommand& front = *die.commands.front();
  const NandOverlap& rules = timing_.overlap();
  if (command.operation != front.operation)
    return command.operation == FlashOperation::Read && rules.suspends(front.operation);
  return command.operation == FlashOperation::Read      ? rules.cache_read
         : command.operation == FlashOperation::Program ? rules.cache_program
                                                        : false;
}

// Adds the array time since running_since.
void OnfiProtocolChecker::array_ends(const OnfiCommand& command, CommandState& state, OnfiPhase phase, Picoseconds at) {
  if (at == state.running_since) return;
  DieState& die = dies_[command.address.die.value()];
  for (std::uint32_t group = 0; group < geometry_.plane_groups; ++group) {
    if ((plane_groups_of(command, geometry_) >> group & 1) == 0) continue;
    expect(state.running_since >= die.array_free[group], command, phase, at, "the array works for two commands");
    die.array_free[group] = at;
  }
  state.ran += at - state.running_since;
}

void OnfiProtocolChecker::on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
  expect(at >= last_, command, phase, at, "phases come out of time order");
  last_ = std::max(last_, at);
  const std::uint32_t number = command.address.die.value();
  const bool read = command.operation == FlashOperation::Read;
  const bool program = command.operation == FlashOperation::Program;
  const bool data_out = read && timing_.data_time(command.bytes) != 0;
  if (phase == OnfiPhase::BeginRequest) {
    ++commands_;
    expect(number < geometry_.dies, command, phase, at, "no such die");
    if (number >= geometry_.dies) return;
    expect(may_join(dies_[number], command), command, phase, at, "the die has a command already");
    dies_[number].commands.push_back(&command);
    open_[&command] = {.phase = phase, .at = at, .grouped = command.together != nullptr};
    return;
  }
  const auto found = open_.find(&command);
  if (found == open_.end()) {
    expect(false, command, phase, at, "the die has no such command");
    return;
  }
  DieState& die = dies_[number];
  CommandState& state = found->second;
  const auto follows = [&](OnfiPhase before) {
    expect(state.phase == before, command, phase, at, "phase out of order");
  };
  const Picoseconds elapsed = at - state.at;
  const Picoseconds request =
      timing_.request_time(command) + (program ? timing_.data_time(command.bytes) : Picoseconds{0});
  const Picoseconds data = data_out ? timing_.data_time(command.bytes) + timing_.data_out_setup(state.grouped) : 0;
  switch (phase) {
    case OnfiPhase::BeginRequest:
      break;
    case OnfiPhase::BusGranted:
      follows(OnfiPhase::BeginRequest);
      occupy(command, phase, at, request);
      break;
    case OnfiPhase::EndRequest:
      follows(OnfiPhase::BusGranted);
      expect(elapsed == request, command, phase, at, "command and data-in cycles of the wrong length");
      state.running_since = at;
      break;
    case OnfiPhase::ArrayStands:
      expect(state.phase == OnfiPhase::EndRequest || state.phase == OnfiPhase::ArrayRuns, command, phase, at,
             "phase out of order");
      if (at != state.running_since) ++state.suspensions;
      array_ends(command, state, phase, at);
      break;
    case OnfiPhase::ArrayRuns:
      follows(OnfiPhase::ArrayStands);
      state.running_since = at;
      break;
    case OnfiPhase::BeginResponse: {
      expect(state.phase == OnfiPhase::EndRequest || state.phase == OnfiPhase::ArrayRuns, command, phase, at,
             "phase out of order");
      array_ends(command, state, phase, at);
      const auto operation = static_cast<std::size_t>(command.operation);
      const NandOverlap& rules = timing_.overlap();
      // Array time between the suspend command and the suspension is not progress.
      const Picoseconds overhead = state.suspensions * (rules.suspend_time[operation] + rules.resume_time[operation]);
      expect(state.ran == timing_.array_time(command) + overhead, command, phase, at, "array time of the wrong length");
      expect(state.suspensions <= rules.suspend_limit, command, phase, at, "too many suspensions");
      break;
    }
    case OnfiPhase::BeginData:
      follows(OnfiPhase::BeginResponse);
      expect(data_out, command, phase, at, "data-out of a command without any");
      occupy(command, phase, at, data);
      break;
    case OnfiPhase::EndResponse:
      follows(data_out ? OnfiPhase::BeginData : OnfiPhase::BeginResponse);
      expect(elapsed == data || (!data_out && timing_.overlap().poll_interval != 0), command, phase, at,
             "data-out cycles of the wrong length");
      std::erase(die.commands, &command);
      if (command.together != nullptr) {
        open_[command.together] = {.phase = OnfiPhase::BeginResponse, .at = command.at.array_end, .grouped = true};
        die.commands.insert(die.commands.begin(), command.together);
      }
      open_.erase(&command);
      return;
  }
  state.phase = phase;
  state.at = at;
}

void OnfiProtocolChecker::reset() {
  open_.clear();
  for (DieState& die : dies_) die = {.commands = {}, .array_free = std::vector<Picoseconds>(geometry_.plane_groups)};
  bus_free_ = 0;
  selected_ = kNone;
}

}  // namespace flashloom
