// Heat in a drive: three bodies of one temperature each (controller, NAND packages, board), joined to each other and to
// the ambient by thermal resistances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/thermal/thermal_config.hpp"

namespace flashloom {

enum class ThermalNode : std::uint8_t { Controller, Nand, Board };
inline constexpr std::size_t kThermalNodes = 3;
inline constexpr std::array<const char*, kThermalNodes> kThermalNodeNames = {"controller", "nand", "board"};
/// One figure a node: temperatures in C, powers in W.
using PerNode = std::array<double, kThermalNodes>;

/// With capacities C, conductances G and powers P the temperatures T over the ambient obey C dT/dt = P - G T, which is
/// solved exactly while P does not change: C^-1/2 G C^-1/2 is symmetric, and along its eigenvectors the equation is one
/// exponential each. So a step may be as long as one likes.
class ThermalNetwork {
 public:
  /// All nodes at the ambient temperature. Resistances of 0 K/W are no path; from each node one must lead to the
  /// ambient (std::invalid_argument).
  explicit ThermalNetwork(const ThermalConfig& config);

  const PerNode& temperatures() const { return temperatures_; }
  void set(const PerNode& temperatures) { temperatures_ = temperatures; }
  /// Where they end while `watts` are drawn.
  PerNode steady(const PerNode& watts) const;
  /// `seconds` of `watts` pass; returns the mean temperatures meanwhile.
  PerNode advance(double seconds, const PerNode& watts);

  /// J in the nodes, above what they hold at the ambient temperature.
  double stored() const;
  /// W that leave to the ambient at these temperatures.
  double outflow(const PerNode& temperatures) const;
  /// The time constants, in s, shortest first.
  PerNode time_constants() const;

 private:
  using Matrix = std::array<PerNode, kThermalNodes>;
  void diagonalise(Matrix& matrix);
  /// Along the eigenvectors, of what is given by node and divided by roots of capacities, and back.
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
