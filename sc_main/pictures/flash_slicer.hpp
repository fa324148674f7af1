// The stages of flash commands as intervals, out of the phases that a channel tells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

enum class FlashStage : std::uint8_t {
  WaitCommand,  ///< for the bus
  Command,      ///< command and address cycles on the bus
  DataIn,       ///< on the bus
  Array,        ///< R/B# low
  Standing,     ///< suspended, or cached and waiting for the command before it
  WaitData,     ///< data are ready, the bus is not free
  DataOut       ///< on the bus
};
inline bool on_bus(FlashStage stage) {
  return stage == FlashStage::Command || stage == FlashStage::DataIn || stage == FlashStage::DataOut;
}

/// What is kept of a command that may be gone when its last interval is known.
struct FlashCommandInfo {
  std::uint64_t serial = 0;  ///< from 1, by begin
  std::uint32_t lane = 0;    ///< of its die: from 1 for those beside another (cache commands, suspension, planes)
  FlashAddress address;
  FlashOperation operation = FlashOperation::Read;
  Origin origin = Origin::Host;
};

class FlashSliceSink {
 public:
  /// The command, whole and alive, is handed to the channel.
  virtual void command_began(const FlashCommandInfo& /*info*/, const OnfiCommand& /*command*/, Picoseconds /*at*/) {}
  /// In time order for each lane of a die. Stages that take no time are left out.
  virtual void stage(const FlashCommandInfo& info, FlashStage stage, Picoseconds from, Picoseconds to) = 0;
  /// After its stages.
  virtual void command_ended(const FlashCommandInfo& /*info*/, Picoseconds /*from*/, Picoseconds /*to*/) {}

 protected:
  ~FlashSliceSink() = default;
};

/// Attach to every channel. Pages read together are one command. Commands of one lane of a die do not overlap.
class FlashSlicer final : public OnfiObserver {
 public:
  /// `cut`: when power fails, if it does; commands under way end there.
  FlashSlicer(const NandGeometry& geometry, const NandTiming& timing, Picoseconds cut)
      : timing_(timing),
        cut_(cut),
        lanes_of_a_die_(geometry.plane_groups + 1),
        lanes_(std::size_t{lanes_of_a_die_} * geometry.dies) {}

  void add(FlashSliceSink& sink) { sinks_.push_back(&sink); }
  void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) override;
  /// The run ends at `end`: so do the commands under way; no phase may follow.
  void finish(Picoseconds end);

 private:
  struct Lane {
    const OnfiCommand* command = nullptr;  ///< of pages read together the one whose data go next
    FlashCommandInfo info;
    Picoseconds begin = kNever;  ///< kNever: no command
    Picoseconds since = 0;       ///< of the stage under way
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
  std::uint32_t lanes_of_a_die_;  // a read of each plane group, and what they interrupt
  std::vector<Lane> lanes_;       // by die
  std::vector<FlashSliceSink*> sinks_;
  std::uint64_t serial_ = 0;
};

}  // namespace flashloom
