// Latin hypercube samples, one column at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashloom {

/// `samples` numbers in [0, 1), one in each of as many equal strata, in random order: a column of a Latin hypercube
/// (McKay, Beckman, Conover, Technometrics 21(2), 1979). For additive functions of the columns its error is smaller
/// than that of independent draws (Stein, Technometrics 29(2), 1987). The column depends only on name, seed and number
/// of samples, so two devices draw the same for a key that both have, whatever else they draw.
std::vector<double> stratified(const std::string& name, std::uint64_t seed, std::size_t samples);

}  // namespace flashloom
