// Waveforms of the flash back end as a Value Change Dump (IEEE 1364-2005, clause 18), like a logic analyser's on the
// channels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_protocol.hpp"
#include "sc_main/program/options/time_window.hpp"
#include "sc_main/program/pictures/bounded_log.hpp"

namespace flashloom {

/// Signals, in scopes flashloom.channelC and flashloom.channelC.dieD, times in ps:
///   bus      ASCII: idle, cmd (command and address cycles), data_in, data_out
///   owner    number of the die that has the bus; z while it is idle
///   rb_n     R/B# of the die: 0 while its array is busy
///   command  ASCII: idle, read, program, erase; from the grant of the bus to the end of the command
///   block, page   of the newest command, or of a resumed one; x before the first
/// While power is off, everything is x. ASCII signals are plain vectors of 8 bits a character.
///
/// To be attached to every channel. Its memory is bounded by the limit of the file.
class VcdRecorder final : public OnfiObserver {
 public:
  /// When power is off: operations in progress at `from` are lost.
  struct Cut {
    Picoseconds from = kNever;
    Picoseconds to = kNever;
  };
  /// Records `window` into a file of at most `limit` bytes (header and initial values are always written). Geometry and
  /// timing must outlive this.
  VcdRecorder(const NandGeometry& geometry, const NandTiming& timing, std::uint64_t limit, TimeWindow window, Cut cut);

  void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) override;

  /// The file of a run that ended at `end`, without later changes.
  std::string text(Picoseconds end);
  /// After text(): time at which the limit ended the waveform; kNever: it did not.
  Picoseconds cut_off() const { return cut_off_; }
  /// A save file for GTKWave: all signals, ASCII ones as text.
  std::string gtkwave_text() const;

 private:
  struct Change {
    Picoseconds at = 0;
    std::uint32_t signal = 0;
    std::uint32_t value = 0;
  };
  struct Signal {
    std::string name;
    std::uint32_t bits;
    std::uint32_t characters;  ///< length of an ASCII signal; else 0
    std::uint32_t value;       ///< at the begin of the window
  };

  std::uint32_t channel_signal(const OnfiCommand& command, std::uint32_t which) const;
  std::uint32_t die_signal(const OnfiCommand& command, std::uint32_t which) const;
  void change(std::uint32_t signal, std::uint32_t value, Picoseconds at);
  void show(const OnfiCommand& command, Picoseconds at);
  void power_off();
  std::string header() const;
  void append(std::string& text, std::uint32_t signal, std::uint32_t value) const;

  const NandGeometry& geometry_;
  const NandTiming& timing_;
  std::uint64_t limit_;
  TimeWindow window_;
  Cut cut_;
  bool was_off_ = false;  // the cut is recorded
  std::vector<Signal> signals_;
  std::vector<const OnfiCommand*> shown_;  // by die: the command shown by its signals
  std::vector<std::uint32_t> reading_;     // by die: number of reads in its array
  BoundedLog<Change> changes_;
  Picoseconds cut_off_ = kNever;
};

}  // namespace flashloom
