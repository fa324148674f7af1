// Samples of a Latin hypercube, a column at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashloom {

/// `samples` numbers in [0, 1), one in each of as many equal parts of it, in random order: a column of a Latin hypercube
/// (McKay, Beckman, Conover, Technometrics 21(2), 1979), whose error for sums of functions of one column each falls faster than that of
/// independent draws (Stein, Technometrics 29(2), 1987). It depends on name, seed and number alone: whatever else is
/// drawn beside it, two devices draw the same for a key that both have.
std::vector<double> stratified(const std::string& name, std::uint64_t seed, std::size_t samples);

}  // namespace flashloom
