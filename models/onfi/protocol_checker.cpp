#include "models/onfi/protocol_checker.hpp"

#include <algorithm>

namespace flashloom {
namespace {

constexpr const char* kPhaseNames[] = {"BEGIN_REQ", "bus granted", "END_REQ", "BEGIN_RESP", "begin data", "END_RESP"};

}  // namespace

void OnfiProtocolChecker::expect(bool good, const OnfiCommand& command, OnfiPhase phase, Picoseconds at,
                                 const char* rule) {
  if (good || errors_.size() == kMessages) return;
  errors_.push_back("die " + std::to_string(command.address.die.value()) + ", " +
                    kPhaseNames[static_cast<std::size_t>(phase)] + " at " + std::to_string(at) + " ps: " + rule);
}

void OnfiProtocolChecker::occupy(const OnfiCommand& command, OnfiPhase phase, Picoseconds from, Picoseconds time) {
  expect(from >= bus_free_, command, phase, from, "the bus is in use");
  bus_free_ = std::max(bus_free_, from + time);
}

void OnfiProtocolChecker::on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
  expect(at >= last_, command, phase, at, "phases come out of time order");
  last_ = std::max(last_, at);
  const std::uint32_t die = command.address.die.value();
  const bool read = command.operation == FlashOperation::Read;
  const bool program = command.operation == FlashOperation::Program;
  const bool data_out = read && timing_.data_time(command.bytes) != 0;
  if (phase == OnfiPhase::BeginRequest) {
    ++commands_;
    expect(dies_.count(die) == 0, command, phase, at, "the die has a command already");
    expect(die < geometry_.dies, command, phase, at, "no such die");
    dies_[die] = {&command, phase, at, command.together != nullptr};
    return;
  }
  const auto found = dies_.find(die);
  if (found == dies_.end() || found->second.command != &command) {
    expect(false, command, phase, at, "the die has no such command");
    return;
  }
  DieState& state = found->second;
  const auto follows = [&](OnfiPhase before) {
    expect(state.phase == before, command, phase, at, "phase out of order");
  };
  const Picoseconds elapsed = at - state.at;
  const Picoseconds request =
      timing_.request_time(command) + (program ? timing_.data_time(command.bytes) : Picoseconds{0});
  const Picoseconds data =
      data_out ? timing_.data_time(command.bytes) + (state.grouped ? timing_.select_time() : 0) : 0;
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
      break;
    case OnfiPhase::BeginResponse:
      follows(OnfiPhase::EndRequest);
      expect(elapsed == timing_.array_time(command), command, phase, at, "array time of the wrong length");
      break;
    case OnfiPhase::BeginData:
      follows(OnfiPhase::BeginResponse);
      expect(data_out, command, phase, at, "data-out of a command without any");
      occupy(command, phase, at, data);
      break;
    case OnfiPhase::EndResponse:
      follows(data_out ? OnfiPhase::BeginData : OnfiPhase::BeginResponse);
      expect(elapsed == data, command, phase, at, "data-out cycles of the wrong length");
      if (command.together == nullptr)
        dies_.erase(found);
      else
        state = {command.together, OnfiPhase::BeginResponse, command.at.array_end, true};
      return;
  }
  state.phase = phase;
  state.at = at;
}

void OnfiProtocolChecker::reset() {
  dies_.clear();
  bus_free_ = 0;
}

}  // namespace flashloom
