#include "sc_main/pictures/flash_slicer.hpp"

#include <algorithm>

namespace flashloom {

void FlashSlicer::end_stage(Lane& lane, Picoseconds at) {
  if (at > lane.since)
    for (FlashSliceSink* const sink : sinks_) sink->stage(lane.info, lane.stage, lane.since, at);
  lane.since = at;
}

// Of a program: its data-in follows, if it comes so far before `at`.
void FlashSlicer::end_command_cycles(Lane& lane, Picoseconds at) {
  const Picoseconds data = lane.since + timing_.command_time(FlashOperation::Program);
  if (data > at) return;
  end_stage(lane, data);
  lane.stage = FlashStage::DataIn;
}

void FlashSlicer::end_command(Lane& lane, Picoseconds at) {
  // Broken off on the bus.
  if (lane.stage == FlashStage::Command && lane.info.operation == FlashOperation::Program) end_command_cycles(lane, at);
  end_stage(lane, at);
  for (FlashSliceSink* const sink : sinks_) sink->command_ended(lane.info, lane.begin, at);
  lane.begin = kNever;
}

void FlashSlicer::begin(const OnfiCommand& command, Picoseconds at) {
  Lane* const lanes = &lanes_[kLanes * std::size_t{command.address.die.value()}];
  if (at >= cut_)  // what the cut met has no end of its own
    for (std::uint32_t i = 0; i < kLanes; ++i)
      if (lanes[i].begin < cut_) end_command(lanes[i], cut_);
  const std::uint32_t number = lanes[0].begin == kNever ? 0 : 1;
  lanes[number] = {&command,
                   {++serial_, number, command.address, command.operation, command.origin},
                   at,
                   at,
                   FlashStage::WaitCommand};
  for (FlashSliceSink* const sink : sinks_) sink->command_began(lanes[number].info, command, at);
}

void FlashSlicer::on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
  if (phase == OnfiPhase::BeginRequest) return begin(command, at);
  Lane* const lanes = &lanes_[kLanes * std::size_t{command.address.die.value()}];
  Lane& lane = lanes[lanes[0].begin != kNever && lanes[0].command == &command ? 0 : 1];
  if (lane.begin == kNever || lane.command != &command) return;  // it ended with the run
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
