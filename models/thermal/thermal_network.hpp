// Heat in a drive: three nodes of uniform temperature (controller, NAND packages, board), connected to each other and
// to the ambient by thermal resistances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/thermal/thermal_config.hpp"

namespace flashloom {

enum class ThermalNode : std::uint8_t { Controller, Nand, Board };
inline constexpr std::size_t kThermalNodes = 3;
inline constexpr std::array<const char*, kThermalNodes> kThermalNodeNames = {"controller", "nand", "board"};
/// One value a node: temperatures in C, powers in W.
using PerNode = std::array<double, kThermalNodes>;

/// With capacities C, conductances G and powers P the temperatures T above ambient obey C dT/dt = P - G T, which is
/// solved exactly for constant P: C^-1/2 G C^-1/2 is symmetric, and each of its eigenvectors gives one exponential. So
/// steps may be arbitrarily long.
class ThermalNetwork {
 public:
  /// All nodes start at the ambient temperature. A resistance of 0 K/W means no path; each node needs a path to the
  /// ambient (std::invalid_argument).
  explicit ThermalNetwork(const ThermalConfig& config);

  const PerNode& temperatures() const { return temperatures_; }
  void set(const PerNode& temperatures) { temperatures_ = temperatures; }
  /// Steady-state temperatures at constant `watts`.
  PerNode steady(const PerNode& watts) const;
  /// Advances by `seconds` at `watts`; returns the mean temperatures of that time.
  PerNode advance(double seconds, const PerNode& watts);

  /// Heat stored in the nodes above ambient, in J.
  double stored() const;
  /// Heat flow to the ambient at these temperatures, in W.
  double outflow(const PerNode& temperatures) const;
  /// The time constants, in s, shortest first.
  PerNode time_constants() const;

 private:
  using Matrix = std::array<PerNode, kThermalNodes>;
  void diagonalise(Matrix& matrix);
  /// Transforms values by node, divided by roots of capacities, to eigenvector coordinates, and back.
  PerNode along(const PerNode& scaled) const;
  PerNode back(const PerNode& modes) const;

  double ambient_;
  PerNode root_;          // of the capacities
  PerNode to_ambient_{};  // W/K
  PerNode rates_{};       // eigenvalues, 1/s
  Matrix vectors_{};      // [node][mode]
  PerNode temperatures_{};
};

}  // namespace flashloom
