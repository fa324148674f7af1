// Converts the phases of flash commands that a channel reports to intervals of stages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

enum class FlashStage : std::uint8_t {
  WaitCommand,  ///< waits for the bus
  Command,      ///< command and address cycles on the bus
  DataIn,       ///< on the bus
  Array,        ///< R/B# low
  Standing,     ///< suspended, or cached and waiting for the command before it
  WaitData,     ///< data is ready, waits for the bus
  DataOut       ///< on the bus
};
inline bool on_bus(FlashStage stage) {
  return stage == FlashStage::Command || stage == FlashStage::DataIn || stage == FlashStage::DataOut;
}

/// Copied information on a command, since the command may be gone when its last interval is known.
struct FlashCommandInfo {
  std::uint64_t serial = 0;  ///< from 1, in order of begin
  std::uint32_t lane = 0;    ///< of its die: above 0 for a command that overlaps another (cache, suspension, planes)
  FlashAddress address;
  FlashOperation operation = FlashOperation::Read;
  Origin origin = Origin::Host;
};

class FlashSliceSink {
 public:
  /// The command is handed to the channel; `command` is valid during this call.
  virtual void command_began(const FlashCommandInfo& /*info*/, const OnfiCommand& /*command*/, Picoseconds /*at*/) {}
  /// A stage of a command, in time order for each lane of a die. Stages of no duration are left out.
  virtual void stage(const FlashCommandInfo& info, FlashStage stage, Picoseconds from, Picoseconds to) = 0;
  /// The command has ended, after all its stages.
  virtual void command_ended(const FlashCommandInfo& /*info*/, Picoseconds /*from*/, Picoseconds /*to*/) {}

 protected:
  ~FlashSliceSink() = default;
};

/// To be attached to every channel. Pages read together count as one command. Commands in one lane of a die do not
/// overlap.
class FlashSlicer final : public OnfiObserver {
 public:
  /// `cut`: time of a power cut, which ends the commands in progress; kNever: none.
  FlashSlicer(const NandGeometry& geometry, const NandTiming& timing, Picoseconds cut)
      : timing_(timing),
        cut_(cut),
        lanes_of_a_die_(geometry.plane_groups + 1),
        lanes_(std::size_t{lanes_of_a_die_} * geometry.dies) {}

  void add(FlashSliceSink& sink) { sinks_.push_back(&sink); }
  void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) override;
  /// Ends the commands in progress at `end`, the end of the run; no phase may follow.
  void finish(Picoseconds end);

 private:
  struct Lane {
    const OnfiCommand* command = nullptr;  ///< of pages read together: the one whose data is sent next
    FlashCommandInfo info;
    Picoseconds begin = kNever;  ///< kNever: no command
    Picoseconds since = 0;       ///< begin of the present stage
    FlashStage stage = FlashStage::WaitCommand;
  };
  std::span<Lane> lanes_of(const OnfiCommand& command) {
    return std::span(lanes_).subspan(std::size_t{lanes_of_a_die_} * command.address.die.value(), lanes_of_a_die_);
  }
  void begin(const OnfiCommand& command, Picoseconds at);
  void end_stage(Lane& lane, Picoseconds at);
  void end_command_cycles(Lane& lane, Picoseconds at);
  void end_command(Lane& lane, Picoseconds at);

  const NandTiming& timing_;
  Picoseconds cut_;
  std::uint32_t lanes_of_a_die_;  // one per plane group for reads, and one for the operation that they interrupt
  std::vector<Lane> lanes_;       // by die
  std::vector<FlashSliceSink*> sinks_;
  std::uint64_t serial_ = 0;
};

}  // namespace flashloom
