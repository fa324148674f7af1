// The kinds of DRAM: presets for dram.kind in a device file.
#pragma once

#include <span>
#include <string_view>

#include "models/memory/memory_config.hpp"

namespace flashloom {

/// Currents of one supply rail of one device, A (DRAM data sheets, "IDD specifications").
struct DramRail {
  double voltage = 0;  ///< V
  double idd0 = 0;     ///< one bank, activate to precharge each tRC
  double idd2n = 0;    ///< precharge standby
  double idd3n = 0;    ///< active standby
  double idd4r = 0;    ///< burst read
  double idd4w = 0;    ///< burst write
  double idd5 = 0;     ///< burst refresh
  double idd2p = 0;    ///< precharge power-down
  double idd6 = 0;     ///< self-refresh
};

/// Sets the energies of `config` from the currents of `devices` devices in lockstep; its bandwidth, timing and refresh
/// must be set. Micron TN-41-01, "Calculating Memory System Power for DDR3": activate and precharge
/// V x (IDD0 x tRC - IDD3N x tRAS - IDD2N x tRP), a read V x (IDD4R - IDD3N) for the time of its data, a write
/// V x (IDD4W - IDD3N), a refresh V x (IDD5 - IDD2N) x tRFC, background V x IDD2N, with an open row V x IDD3N, in
/// precharge power-down V x IDD2P, in self-refresh V x IDD6. The
/// note subtracts IDD3N from the refresh; here the background during a refresh is precharge standby. Terminations and
/// the controller's own drivers are not included.
void set_dram_energies(DramConfig& config, std::span<const DramRail> rails, std::uint32_t devices);

/// Figures of a kind, all of which a device file may override.
struct DramKind {
  std::string_view name;     ///< "lpddr4_3200"
  std::string_view summary;  ///< one line
  std::string_view source;   ///< where the figures come from, and what is assumed
  DramConfig defaults;
};

/// All kinds, without "custom".
std::span<const DramKind> dram_kinds();

/// The kind of that name; null if there is none.
const DramKind* find_dram_kind(std::string_view name);

}  // namespace flashloom
