#include "workloads/portable_math.hpp"

#include <cmath>

namespace flashloom {
namespace {

constexpr double kLn2High = 0x1.62e42fee00000p-1;  // ln 2 in two parts, so that k * kLn2High is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// 2 artanh(s), |s| <= 1/5: sums s^(2 i + 1) / (2 i + 1), smallest terms first.
double twice_artanh(double s) {
  constexpr int kTerms = 12;
  const double square = s * s;
  double sum = 0;
  for (int i = kTerms; i >= 1; --i) sum = (sum + 1.0 / (2 * i + 1)) * square;
  return 2 * s * (1 + sum);
}

/// (e^r - 1) / r for |r| <= 1/2.
double expm1_over(double r) {
  constexpr int kTerms = 18;
  double sum = 1;
  for (int i = kTerms; i >= 2; --i) sum = 1 + sum * r / i;
  return sum;
}

}  // namespace

double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [1/2, 1); frexp is exact, as is std::ldexp below
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  return exponent * kLn2High + (twice_artanh((mantissa - 1) / (mantissa + 1)) + exponent * kLn2Low);
}

double portable_log1p(double x) {
  if (x > -0.25 && x < 0.25) return twice_artanh(x / (2 + x));
  return portable_log(1 + x);
}

double portable_exp(double x) {
  if (x > 709.78) return HUGE_VAL;
  if (x < -745.2) return 0;
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  return std::ldexp(1 + r * expm1_over(r), static_cast<int>(k));
}

double portable_expm1(double x) {
  if (x > -0.5 && x < 0.5) return x * expm1_over(x);
  return portable_exp(x) - 1;
}

}  // namespace flashloom
