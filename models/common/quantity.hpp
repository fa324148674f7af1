// The physical quantity of a key of a device file, and bounds that many keys have. Each configuration struct describes its
// keys to a builder (sc_main/assembly/config/table_builder.hpp) in these terms.
#pragma once

#include <cstdint>

namespace flashloom {

/// The physical quantity of a configuration value, which decides the unit that its text must have.
enum class Quantity : std::uint8_t {
  None,                   ///< plain number
  Time,                   ///< integer picoseconds
  Bytes,                  ///< integer bytes; kB = 1000, KiB = 1024
  ByteRate,               ///< integer bytes a second
  BitRate,                ///< integer bits a second
  TransferRate,           ///< integer transfers a second
  Frequency,              ///< integer Hz
  Voltage,                ///< V
  Current,                ///< A
  Power,                  ///< W
  Energy,                 ///< J
  EnergyPerByte,          ///< J/B; a value per bit is converted to one per byte
  Capacitance,            ///< F
  Ratio,                  ///< 0.07 or "7 %"
  Age,                    ///< integer seconds, for times beyond the range of simulated time
  Temperature,            ///< C; may be below zero
  TemperatureDifference,  ///< K
  ThermalResistance,      ///< K/W
  HeatCapacity,           ///< J/K
  ActivationEnergy,       ///< eV
};

inline constexpr double kMaxCount = 9223372036854775807.0;  // TOML integers are signed 64-bit
inline constexpr double kMaxTime = 200.0 * 86400.0 * 1e12;  // below the kernel's 213 days
inline constexpr double kHour = 3600.0 * 1e12;
inline constexpr double kMaxBytes = 1099511627776.0 * 1024;  // 1 PiB
inline constexpr double kMaxRate = 1e15;

}  // namespace flashloom
