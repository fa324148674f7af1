// Logarithm and exponential from the four basic operations: the same bits on every platform, while C libraries differ
// in the last place. Relative error below 1e-15.
#pragma once

namespace flashloom {

/// Natural logarithm of x > 0.
double portable_log(double x);
/// log(1 + x), x > -1, accurate for small x.
double portable_log1p(double x);
/// e^x; 0 and infinity beyond the range of a double.
double portable_exp(double x);
/// e^x - 1, accurate for small x.
double portable_expm1(double x);
/// base^exponent, base > 0.
inline double portable_pow(double base, double exponent) { return portable_exp(exponent * portable_log(base)); }

}  // namespace flashloom
