// How temperature accelerates ageing.
#pragma once

#include <cmath>

namespace flashloom {

inline constexpr double kZeroCelsiusKelvins = 273.15;

/// Arrhenius: how many times faster a process with this activation energy (eV) runs at `celsius` than at `reference`
/// (C). JEDEC JESD22-A117 and JESD218 use it for the retention of charge-storing cells, with 1.1 eV.
inline double arrhenius(double activation_energy, double reference, double celsius) {
  constexpr double kBoltzmann = 8.617333262e-5;  // eV/K
  return std::exp(activation_energy / kBoltzmann *
                  (1 / (reference + kZeroCelsiusKelvins) - 1 / (celsius + kZeroCelsiusKelvins)));
}

}  // namespace flashloom
