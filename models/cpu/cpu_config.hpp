// A device file's [cpu] table: the controller's cores and what each firmware step costs on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// Firmware steps that cost cycles. Names in configuration: the snake_case form, in [cpu.cycles].
enum class FirmwareStep : std::uint8_t {
  CommandParse,     ///< fetch and decode of a host command
  CommandComplete,  ///< completion entry and bookkeeping of a host command
  BufferLookup,     ///< data buffer look-up and list update, each mapping unit
  MapLookup,        ///< L2P look-up, each mapping unit
  MapUpdate,        ///< allocation and L2P update, each mapping unit
  FlashIssue,       ///< descriptor of one flash command
  FlashComplete,    ///< completion of one flash command
  VictimSelect,     ///< choice of a GC victim
  Count
};
inline constexpr std::size_t kFirmwareSteps = static_cast<std::size_t>(FirmwareStep::Count);

struct CpuConfig {
  bool ideal = false;  ///< cpu.model = "ideal": steps take no time and no energy
  std::uint32_t cores = 2;
  std::uint64_t clock = 1'000'000'000;  ///< Hz
  /// Which core runs which part; taken modulo `cores`.
  std::uint32_t host_core = 0;   ///< CommandParse, CommandComplete, BufferLookup
  std::uint32_t ftl_core = 1;    ///< MapLookup, MapUpdate, VictimSelect
  std::uint32_t flash_core = 1;  ///< FlashIssue, FlashComplete
  std::array<std::uint32_t, kFirmwareSteps> cycles = {300, 200, 60, 60, 80, 150, 100, 500};
  double active_power = 0.25;  ///< W a core, busy
  double idle_power = 0.02;    ///< W a core, waiting
};

}  // namespace flashloom
