// Checks one channel for protocol violations. For tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

/// Checks, per channel: the phases of each command come in order, and in time order; bus intervals do not overlap and
/// have the durations that the timing gives; an array works on one command at a time, for its array time plus that of
/// suspensions; a die has one command at a time, or those that NandOverlap allows, each plane group one
/// read. Violations are kept in errors().
class OnfiProtocolChecker final : public OnfiObserver {
 public:
  OnfiProtocolChecker(const NandGeometry& geometry, const NandTiming& timing)
      : geometry_(geometry), timing_(timing), dies_(geometry.dies) {
    reset();
  }

  void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) override;

  /// A power cut has ended all commands.
  void reset();

  /// One message an error, the first kMessages of them.
  const std::vector<std::string>& errors() const { return errors_; }
  std::uint64_t commands() const { return commands_; }
  /// Commands that are not complete.
  std::size_t open() const { return open_.size(); }

 private:
  static constexpr std::size_t kMessages = 20;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct CommandState {
    OnfiPhase phase = OnfiPhase::BeginRequest;
    Picoseconds at = 0;             // of the phase
    bool grouped = false;           // one of pages read together
    Picoseconds running_since = 0;  // the array
    Picoseconds ran = 0;            // array time before that
    std::uint32_t suspensions = 0;
  };
  struct DieState {
    std::vector<const OnfiCommand*> commands;
    std::vector<Picoseconds> array_free;  // by plane group
  };

  void expect(bool good, const OnfiCommand& command, OnfiPhase phase, Picoseconds at, const char* rule);
  void occupy(const OnfiCommand& command, OnfiPhase phase, Picoseconds from, Picoseconds time);
  bool may_join(const DieState& die, const OnfiCommand& command) const;
  void array_ends(const OnfiCommand& command, CommandState& state, OnfiPhase phase, Picoseconds at);

  NandGeometry geometry_;
  const NandTiming& timing_;
  std::unordered_map<const OnfiCommand*, CommandState> open_;  // looked up only
  std::vector<DieState> dies_;
  Picoseconds last_ = 0;
  Picoseconds bus_free_ = 0;
  std::uint32_t selected_ = kNone;  // position of the die that had the bus last
  std::uint64_t commands_ = 0;
  std::vector<std::string> errors_;
};

}  // namespace flashloom
