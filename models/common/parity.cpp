#include "models/common/parity.hpp"

#include <bit>

namespace flashloom {

void ParityRows::encode(std::size_t first, std::size_t count) const {
  if (parities_ == 0) return;
  for (std::size_t row = first; row < first + count; ++row) {
    SectorToken p = 0;
    SectorToken q = 0;
    for (std::uint32_t at = data_; at-- != 0;) {  // Horner's rule
      p ^= column(at)[row];
      q = gf_double(q) ^ column(at)[row];
    }
    column(data_)[row] = p;
    if (parities_ == 2) column(data_ + 1)[row] = q;
  }
}

void ParityRows::update(std::uint32_t number, std::size_t first, std::span<const SectorToken> contents) const {
  const std::uint8_t power = gf_power(number);
  for (std::size_t at = 0; at < contents.size(); ++at) {
    SectorToken& old = column(number)[first + at];
    const SectorToken change = old ^ contents[at];
    column(data_)[first + at] ^= change;
    if (parities_ == 2) column(data_ + 1)[first + at] ^= gf_times(change, power);
    old = contents[at];
  }
}

void ParityRows::solve(std::uint64_t missing, std::size_t first, std::size_t count) const {
  const std::uint64_t all_data = (std::uint64_t{1} << data_) - 1;
  const std::uint64_t lost = missing & all_data;
  if (lost == 0) return encode(first, count);
  const auto x = static_cast<std::uint32_t>(std::countr_zero(lost));
  const bool two = std::popcount(lost) == 2;
  const auto y = static_cast<std::uint32_t>(63 - std::countl_zero(lost));
  const bool by_q = !two && ((missing >> data_) & 1) != 0;  // P and one data column are lost
  const std::uint8_t power_x = gf_power(x);
  const std::uint8_t power_y = gf_power(y);
  const std::uint8_t over = gf_inverse(two ? power_x ^ power_y : power_x);
  for (std::size_t row = first; row < first + count; ++row) {
    // Contribution of the lost columns to P and Q.
    SectorToken p = by_q ? 0 : column(data_)[row];
    SectorToken q = two || by_q ? column(data_ + 1)[row] : 0;
    for (std::uint32_t at = 0; at < data_; ++at) {
      if (((lost >> at) & 1) != 0) continue;
      p ^= column(at)[row];
      if (two || by_q) q ^= gf_times(column(at)[row], gf_power(at));
    }
    if (by_q) {
      column(x)[row] = gf_times(q, over);
    } else if (two) {  // p = Dx + Dy, q = gx Dx + gy Dy
      column(x)[row] = gf_times(q ^ gf_times(p, power_y), over);
      column(y)[row] = p ^ column(x)[row];
    } else {
      column(x)[row] = p;
    }
  }
  if ((missing & ~all_data) != 0) encode(first, count);
}

}  // namespace flashloom
