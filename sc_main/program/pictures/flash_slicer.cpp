#include "sc_main/program/pictures/flash_slicer.hpp"

#include <algorithm>

namespace flashloom {

void FlashSlicer::end_stage(Lane& lane, Picoseconds at) {
  if (at > lane.since)
    for (FlashSliceSink* const sink : sinks_) sink->stage(lane.info, lane.stage, lane.since, at);
  lane.since = at;
}

// Ends the command cycles of a program, and begins its data-in, if these end before `at`.
void FlashSlicer::end_command_cycles(Lane& lane, Picoseconds at) {
  const Picoseconds data = lane.since + timing_.command_time(FlashOperation::Program);
  if (data > at) return;
  end_stage(lane, data);
  lane.stage = FlashStage::DataIn;
}

void FlashSlicer::end_command(Lane& lane, Picoseconds at) {
  // The command is aborted on the bus.
  if (lane.stage == FlashStage::Command && lane.info.operation == FlashOperation::Program) end_command_cycles(lane, at);
  end_stage(lane, at);
  for (FlashSliceSink* const sink : sinks_) sink->command_ended(lane.info, lane.begin, at);
  lane.begin = kNever;
}

void FlashSlicer::begin(const OnfiCommand& command, Picoseconds at) {
  const std::span<Lane> lanes = lanes_of(command);
  if (at >= cut_)  // commands that the cut aborted report no end
    for (Lane& lane : lanes)
      if (lane.begin < cut_) end_command(lane, cut_);
  std::uint32_t number = 0;
  while (number + 1 < lanes.size() && lanes[number].begin != kNever) ++number;
  lanes[number] = {&command,
                   {++serial_, number, command.address, command.operation, command.origin},
                   at,
                   at,
                   FlashStage::WaitCommand};
  for (FlashSliceSink* const sink : sinks_) sink->command_began(lanes[number].info, command, at);
}

void FlashSlicer::on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
  if (phase == OnfiPhase::BeginRequest) return begin(command, at);
  const std::span<Lane> lanes = lanes_of(command);
  const auto found = std::find_if(lanes.begin(), lanes.end(), [&command](const Lane& each) {
    return each.begin != kNever && each.command == &command;
  });
  if (found == lanes.end()) return;  // it ended with the run
  Lane& lane = *found;
  switch (phase) {
    case OnfiPhase::BeginRequest:
      return;
    case OnfiPhase::BusGranted:
      end_stage(lane, at);
      lane.stage = FlashStage::Command;
      return;
    case OnfiPhase::EndRequest:
      if (command.operation == FlashOperation::Program) end_command_cycles(lane, at);
      end_stage(lane, at);
      lane.stage = FlashStage::Array;
      return;
    case OnfiPhase::ArrayStands:
      end_stage(lane, at);
      lane.stage = FlashStage::Standing;
      return;
    case OnfiPhase::ArrayRuns:
      end_stage(lane, at);
      lane.stage = FlashStage::Array;
      return;
    case OnfiPhase::BeginResponse:
      end_stage(lane, at);
      lane.stage = FlashStage::WaitData;
      return;
    case OnfiPhase::BeginData:
      end_stage(lane, at);
      lane.stage = FlashStage::DataOut;
      return;
    case OnfiPhase::EndResponse:
      if (command.together != nullptr) {  // the next of the pages read together
        end_stage(lane, at);
        lane.stage = FlashStage::WaitData;
        lane.command = command.together;
        return;
      }
      end_command(lane, at);
      return;
  }
}

void FlashSlicer::finish(Picoseconds end) {
  for (Lane& lane : lanes_)
    if (lane.begin != kNever) end_command(lane, cut_ >= lane.since && cut_ < end ? cut_ : std::max(lane.since, end));
}

}  // namespace flashloom
