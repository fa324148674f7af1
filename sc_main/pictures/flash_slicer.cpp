#include "sc_main/pictures/flash_slicer.hpp"

#include <algorithm>

namespace flashloom {

void FlashSlicer::end_stage(DieState& die, Picoseconds at) {
  if (at > die.since)
    for (FlashSliceSink* const sink : sinks_) sink->stage(die.info, die.stage, die.since, at);
  die.since = at;
}

// Of a program: its data-in follows, if it comes so far before `at`.
void FlashSlicer::end_command_cycles(DieState& die, Picoseconds at) {
  const Picoseconds data = die.since + timing_.command_time(FlashOperation::Program);
  if (data > at) return;
  end_stage(die, data);
  die.stage = FlashStage::DataIn;
}

void FlashSlicer::end_command(DieState& die, Picoseconds at) {
  // Broken off on the bus.
  if (die.stage == FlashStage::Command && die.info.operation == FlashOperation::Program) end_command_cycles(die, at);
  end_stage(die, at);
  for (FlashSliceSink* const sink : sinks_) sink->command_ended(die.info, die.begin, at);
  die.begin = kNever;
}

void FlashSlicer::on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
  DieState& die = dies_[command.address.die.value()];
  if (phase != OnfiPhase::BeginRequest && die.begin == kNever) return;  // it ended with the run
  switch (phase) {
    case OnfiPhase::BeginRequest:
      if (die.begin != kNever) end_command(die, std::min(at, cut_));
      die = {{++serial_, command.address, command.operation, command.origin}, at, at, FlashStage::WaitCommand};
      for (FlashSliceSink* const sink : sinks_) sink->command_began(die.info, command, at);
      return;
    case OnfiPhase::BusGranted:
      end_stage(die, at);
      die.stage = FlashStage::Command;
      return;
    case OnfiPhase::EndRequest:
      if (command.operation == FlashOperation::Program) end_command_cycles(die, at);
      end_stage(die, at);
      die.stage = FlashStage::Array;
      return;
    case OnfiPhase::BeginResponse:
      end_stage(die, at);
      die.stage = FlashStage::WaitData;
      return;
    case OnfiPhase::BeginData:
      end_stage(die, at);
      die.stage = FlashStage::DataOut;
      return;
    case OnfiPhase::EndResponse:
      if (command.together != nullptr) {  // the next of the pages read together
        end_stage(die, at);
        die.stage = FlashStage::WaitData;
        return;
      }
      end_command(die, at);
      return;
  }
}

void FlashSlicer::finish(Picoseconds end) {
  for (DieState& die : dies_)
    if (die.begin != kNever) end_command(die, cut_ >= die.since && cut_ < end ? cut_ : std::max(die.since, end));
}

}  // namespace flashloom
