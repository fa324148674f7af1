// Published analytic models of write amplification under uniform random and two-class writes, as fixed points.
//
// u is the share of live data in the flash that holds data, live / (raw - free reserve); v is the share of valid units
// in a victim; WAF = 1 / (1 - v).
#pragma once

#include <cmath>
#include <cstdint>

namespace flashloom::waf_models {

/// The zero of an increasing function between low and high.
template <class F>
double zero(F&& f, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// FIFO (LRU cleaning), uniform: a written unit survives until its block's turn with probability v = exp(-W / live),
/// where W = (1 - v) raw is the number of host writes in one turn: u = (1 - v) / -ln v. Exact. Robinson, OSR 1996;
/// Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012.
inline double fifo(double u) {
  const double v = zero([u](double x) { return (1 - x) / -std::log(x) - u; }, 1e-9, 1 - 1e-9);
  return 1 / (1 - v);
}

/// Random victims, uniform: v = u. Van Houdt, SIGMETRICS 2013, d = 1.
inline double random(double u) { return 1 / (1 - u); }

/// d choices, uniform, blocks of b units: fixed point of the mean field of Van Houdt, "A mean field model for a class
/// of garbage collection algorithms in flash-based solid state drives", SIGMETRICS 2013, for the member of his class
/// that skips fully valid blocks (with small blocks a random victim often is one). Let M_i be the share of blocks with
/// at least i valid units: a victim has at least i < b with probability Q_i = ((M_i - M_b) / (1 - M_b))^d. In
/// equilibrium as many blocks fall from i to i - 1 as victims have fewer than i: h i (M_i - M_{i+1}) = b u (1 - Q_i),
/// where h is the number of host writes that a victim yields; and sum M_i = b u.
inline double d_choices(double u, std::uint32_t b, double d) {
  const auto sum_of_valid = [&](double h) {
    const double whole = u / h;  // M_b
    double above = whole;        // M_{i+1}
    double sum = whole;
    for (std::uint32_t i = b - 1; i >= 1; --i) {
      const auto balance = [&](double m) {
        return h * i * (m - above) - b * u * (1 - std::pow((m - whole) / (1 - whole), d));
      };
      above = zero(balance, above, 1);
      sum += above;
    }
    return sum;
  };
  // A larger yield needs fewer valid units.
  const double h = zero([&](double x) { return b * u - sum_of_valid(x); }, u * (1 + 1e-9), b);
  return b / h;
}

/// Greedy, uniform, blocks of b units: d_choices in the limit of large d; close to Desnoyers' closed form of SYSTOR
/// 2012.
inline double greedy(double u, std::uint32_t b) { return d_choices(u, b, 1e5); }

/// FIFO, two classes: a share `writes` of all host writes goes to a share `data` of the live units. One turn of the
/// blocks takes W host writes. A unit of class k (share r of the writes, f of the data) survives it with probability x
/// = exp(-W r / (f live)); host and copies write r W / (1 - x) units of the class, and both classes together fill the
/// flash once. Exact. Desnoyers, "Analytic models of SSD write performance", ACM Trans. Storage 10 (2014).
inline double fifo_two_classes(double u, double data, double writes) {
  const auto turn = [&](double w) {  // in live units
    const auto flux = [w](double r, double f) { return r * w / -std::expm1(-w * r / f); };
    return flux(writes, data) + flux(1 - writes, 1 - data);
  };
  const double w = zero([&](double x) { return turn(x) - 1 / u; }, 1e-9, 1 / u);
  return 1 / u / w;
}

}  // namespace flashloom::waf_models
