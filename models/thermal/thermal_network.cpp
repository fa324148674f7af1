#include "models/thermal/thermal_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace flashloom {
namespace {

double conductance(double resistance) { return resistance > 0 ? 1 / resistance : 0; }

}  // namespace

ThermalNetwork::ThermalNetwork(const ThermalConfig& config)
    : ambient_(config.ambient),
      root_{std::sqrt(config.controller_capacity), std::sqrt(config.nand_capacity), std::sqrt(config.board_capacity)},
      to_ambient_{conductance(config.controller_to_ambient), conductance(config.nand_to_ambient),
                  conductance(config.board_to_ambient)} {
  const double controller = conductance(config.controller_to_board);
  const double nand = conductance(config.nand_to_board);
  Matrix matrix = {{{controller + to_ambient_[0], 0, -controller},
                    {0, nand + to_ambient_[1], -nand},
                    {-controller, -nand, controller + nand + to_ambient_[2]}}};
  for (std::size_t i = 0; i < kThermalNodes; ++i)
    for (std::size_t j = 0; j < kThermalNodes; ++j) matrix[i][j] /= root_[i] * root_[j];
  diagonalise(matrix);
  for (const double rate : rates_)
    if (!(rate > 0) || !std::isfinite(rate)) throw std::invalid_argument("thermal: a node has no path to the ambient");
  temperatures_.fill(ambient_);
}

// Jacobi rotations. For a 3 x 3 matrix a few sweeps reduce the off-diagonal below rounding.
void ThermalNetwork::diagonalise(Matrix& matrix) {
  constexpr int kSweeps = 50;
  for (std::size_t i = 0; i < kThermalNodes; ++i) vectors_[i][i] = 1;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t p = 0; p + 1 < kThermalNodes; ++p)
      for (std::size_t q = p + 1; q < kThermalNodes; ++q) {
        if (matrix[p][q] == 0) continue;
        const double theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
        const double tangent = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double cosine = 1 / std::hypot(tangent, 1.0);
        const double sine = tangent * cosine;
        for (std::size_t k = 0; k < kThermalNodes; ++k) {
          const double kp = matrix[k][p];
          const double kq = matrix[k][q];
          matrix[k][p] = cosine * kp - sine * kq;
          matrix[k][q] = sine * kp + cosine * kq;
        }
        for (std::size_t k = 0; k < kThermalNodes; ++k) {
          const double pk = matrix[p][k];
          const double qk = matrix[q][k];
          matrix[p][k] = cosine * pk - sine * qk;
          matrix[q][k] = sine * pk + cosine * qk;
        }
        for (PerNode& row : vectors_)
          row = [&, kp = row[p], kq = row[q]] {
            PerNode turned = row;
            turned[p] = cosine * kp - sine * kq;
            turned[q] = sine * kp + cosine * kq;
            return turned;
          }();
      }
  }
  for (std::size_t i = 0; i < kThermalNodes; ++i) rates_[i] = matrix[i][i];
}

PerNode ThermalNetwork::along(const PerNode& scaled) const {
  PerNode modes{};
  for (std::size_t mode = 0; mode < kThermalNodes; ++mode)
    for (std::size_t node = 0; node < kThermalNodes; ++node) modes[mode] += vectors_[node][mode] * scaled[node];
  return modes;
}

PerNode ThermalNetwork::back(const PerNode& modes) const {
  PerNode temperatures{};
  for (std::size_t node = 0; node < kThermalNodes; ++node) {
    double sum = 0;
    for (std::size_t mode = 0; mode < kThermalNodes; ++mode) sum += vectors_[node][mode] * modes[mode];
    temperatures[node] = ambient_ + sum / root_[node];
  }
  return temperatures;
}

PerNode ThermalNetwork::steady(const PerNode& watts) const {
  PerNode scaled{};
  for (std::size_t node = 0; node < kThermalNodes; ++node) scaled[node] = watts[node] / root_[node];
  PerNode modes = along(scaled);
  for (std::size_t mode = 0; mode < kThermalNodes; ++mode) modes[mode] /= rates_[mode];
  return back(modes);
}

PerNode ThermalNetwork::advance(double seconds, const PerNode& watts) {
  if (!(seconds > 0)) return temperatures_;
  PerNode held{};
  PerNode driven{};
  for (std::size_t node = 0; node < kThermalNodes; ++node) {
    held[node] = (temperatures_[node] - ambient_) * root_[node];
    driven[node] = watts[node] / root_[node];
  }
  PerNode modes = along(held);
  PerNode mean = along(driven);
  for (std::size_t mode = 0; mode < kThermalNodes; ++mode) {
    const double x = rates_[mode] * seconds;
    const double target = mean[mode] / rates_[mode];
    const double gone = -std::expm1(-x);  // share of the way to the target
    const double before = modes[mode];
    modes[mode] = before + (target - before) * gone;
    mean[mode] = target + (before - target) * (gone / x);
  }
  temperatures_ = back(modes);
  return back(mean);
}

double ThermalNetwork::stored() const {
  double sum = 0;
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    sum += root_[node] * root_[node] * (temperatures_[node] - ambient_);
  return sum;
}

double ThermalNetwork::outflow(const PerNode& temperatures) const {
  double sum = 0;
  for (std::size_t node = 0; node < kThermalNodes; ++node) sum += to_ambient_[node] * (temperatures[node] - ambient_);
  return sum;
}

PerNode ThermalNetwork::time_constants() const {
  PerNode constants{};
  for (std::size_t mode = 0; mode < kThermalNodes; ++mode) constants[mode] = 1 / rates_[mode];
  std::sort(constants.begin(), constants.end());
  return constants;
}

}  // namespace flashloom
