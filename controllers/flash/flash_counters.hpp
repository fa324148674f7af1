// Flash operations, by operation and origin. Both back ends count with count_flash(), at completion.
#pragma once

#include <array>
#include <cstdint>

#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct FlashCount {
  std::uint64_t commands = 0;
  std::uint64_t pages = 0;      ///< page operations: a program of n pages counts n, a read 1; erases count erase units
  std::uint64_t units = 0;      ///< mapping units; padding of a program counts for Origin::Padding
  std::uint64_t bus_bytes = 0;  ///< data cycles, spare bytes included where they are transferred
  friend bool operator==(const FlashCount&, const FlashCount&) = default;
};

class FlashCounters {
 public:
  FlashCount& at(FlashOperation operation, Origin origin) {
    return counts_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(origin)];
  }
  const FlashCount& at(FlashOperation operation, Origin origin) const {
    return counts_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(origin)];
  }
  /// Over all origins.
  FlashCount total(FlashOperation operation) const {
    FlashCount sum;
    for (const FlashCount& count : counts_[static_cast<std::size_t>(operation)]) {
      sum.commands += count.commands;
      sum.pages += count.pages;
      sum.units += count.units;
      sum.bus_bytes += count.bus_bytes;
    }
    return sum;
  }
  /// Pages read in the array time of another one (OnfiCommand::together), copybacks not counted.
  std::uint64_t read_together = 0;

  void reset() { *this = {}; }
  friend bool operator==(const FlashCounters&, const FlashCounters&) = default;

 private:
  std::array<std::array<FlashCount, kOrigins>, kFlashOperations> counts_{};
};

/// Counts a completed command, or `times` equal ones.
[[gnu::always_inline]] inline void count_flash(FlashCounters& counters, const OnfiCommand& command,
                                               const NandGeometry& geometry, const NandTiming& timing,
                                               std::uint64_t times = 1) {
  FlashCount& count = counters.at(command.operation, command.origin);
  count.commands += times;
  switch (command.operation) {
    case FlashOperation::Read:
      count.pages += times;
      count.units += times * command.units;
      count.bus_bytes += times * timing.bus_bytes(command.bytes);
      return;
    case FlashOperation::Program: {
      const std::uint32_t padding = command.units - command.payload_units - command.unused_units;
      count.pages += times * geometry.program_pages;
      count.units += times * (command.payload_units - command.copied_units);
      count.bus_bytes += times * timing.bus_bytes(command.bytes);
      if ((command.copied_units | padding) == 0) return;
      counters.at(FlashOperation::Program, Origin::Merge).units += times * command.copied_units;
      counters.at(FlashOperation::Program, Origin::Padding).units += times * padding;
      return;
    }
    case FlashOperation::Erase:
      count.pages += times;
      return;
  }
}

}  // namespace flashloom
