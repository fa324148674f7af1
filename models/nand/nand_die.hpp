// One NAND die (LUN): an ONFI target whose array is busy for tR, tPROG or tBERS.
#pragma once

#include <systemc>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_media.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_ports.hpp"

namespace flashloom {

struct NandConfig;

/// Has neither events nor processes: the channel, which models the wires, drives it.
///  * BEGIN_REQ (forward, when the bus is granted; at.array_begin is set and may lie before or after the kernel's now):
///    checks the command against the media and answers TLM_UPDATED, BEGIN_RESP with the array time in `delay`.
///  * END_RESP (forward, at the completion): applies it to the media; TLM_COMPLETED. Pages read together begin as one,
///    by their first, and end one by one in their order.
///  * BEGIN_REQ of a read while another one's data are still to go out: a cache read, if the die has them.
///  * BEGIN_REQ of a read while others are under way on other plane groups (nand.independent_planes).
///  * ARRAY_STANDS, ARRAY_RUNS (forward): the array operation is suspended, resumed. Meanwhile the die serves reads,
///    except of pages that the suspended operation is changing.
/// Throws FirmwareViolation for an illegal command, std::logic_error for one command too many or another die's.
class NandDie final : public sc_core::sc_module, public OnfiTarget {
 public:
  /// `meter` has the states and operations of power_figures(), or is null. `energy`: computes them, or null for plain
  /// ones (NandEnergy::plain()).
  NandDie(const sc_core::sc_module_name& name, Die die, NandMedia& media, const NandTiming& timing,
          EnergyMeter* meter = nullptr, const NandEnergy* energy = nullptr);

  OnfiTargetSocket socket;

  tlm::tlm_sync_enum nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;

  /// Power fails at `at`: tears what is in the array at that instant, and drops the command.
  void power_cut(Picoseconds at);

  Die die() const { return die_; }

  static PowerFigures power_figures(const NandConfig& config) { return NandEnergy::power_figures(config); }

  /// Adds the meter of the next plane group, from the second one on, with the states and operations of plane_figures().
  /// Reads that begin with that group are booked there, all else on the die's meter.
  void add_plane_meter(EnergyMeter& meter) { plane_meters_.push_back(&meter); }
  static PowerFigures plane_figures(const NandConfig& config) { return NandEnergy::plane_figures(config); }

 private:
  [[noreturn, gnu::cold]] void refuse(const OnfiCommand& command) const;
  [[noreturn, gnu::cold]] void refuse_phase() const;
  [[gnu::cold]] OnfiCommand** place_beside(const OnfiCommand& command);
  bool comes_first(const OnfiCommand& command);
  EnergyMeter& meter_of_planes(const OnfiCommand& command) const;
  [[gnu::cold]] void check_beside_held(const OnfiCommand& command) const;
  tlm::tlm_sync_enum begin(OnfiCommand& command, sc_core::sc_time& array_time);
  tlm::tlm_sync_enum end(OnfiCommand& command);
  tlm::tlm_sync_enum suspend_or_resume(OnfiCommand& command, const tlm::tlm_phase& phase, Picoseconds time);
  [[gnu::cold]] void suspend(OnfiCommand& command);
  [[gnu::cold]] void resume(OnfiCommand& command, Picoseconds time);
  void book(EnergyMeter& meter, const OnfiCommand& command, Picoseconds from, Picoseconds to);

  Die die_;
  NandMedia& media_;
  const NandTiming& timing_;
  EnergyMeter* meter_;
  const NandEnergy* energy_;
  OnfiCommand* current_ = nullptr;    // of pages read together: the one with the next data-out
  OnfiCommand* next_ = nullptr;       // cache read: in the array or the page register during current_'s data-out
  std::vector<OnfiCommand*> beside_;  // reads of other plane groups than current_
  std::vector<EnergyMeter*> plane_meters_;
  OnfiCommand* held_ = nullptr;           // suspended
  std::vector<std::uint64_t> held_work_;  // what its meter's operations still have to count; only with energy_
  OnfiCommand* then_ = nullptr;           // program of the copyback under way
  OnfiCommand* register_for_ = nullptr;   // program that must come next: its data are in the page register
};

}  // namespace flashloom
