// Sums and differences of structs of counters, field by field: a counter is declared once, in its struct.
#pragma once

#include <algorithm>
#include <array>
#include <boost/pfr.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "models/common/extremes.hpp"

namespace flashloom {

template <class Counters>
void add(Counters& mine, const Counters& its);
template <class Counters>
void subtract(Counters& mine, const Counters& its);
template <class Counters>
void multiply(Counters& mine, double times);

namespace counters {

template <class Field>
void add_field(Field& mine, const Field& its) {
  if constexpr (std::is_arithmetic_v<Field>)
    mine += its;
  else if constexpr (requires { mine.note(its.value); })
    mine.note(its.value);
  else if constexpr (requires { mine += its; })
    mine += its;
  else
    add(mine, its);
}
template <class Field, std::size_t N>
void add_field(std::array<Field, N>& mine, const std::array<Field, N>& its) {
  for (std::size_t i = 0; i < N; ++i) add_field(mine[i], its[i]);
}

template <class Field>
void subtract_field(Field& mine, const Field& its) {
  if constexpr (std::is_arithmetic_v<Field>)
    mine -= its;
  else if constexpr (!requires { mine.note(its.value); })
    subtract(mine, its);
}
template <class Field, std::size_t N>
void subtract_field(std::array<Field, N>& mine, const std::array<Field, N>& its) {
  for (std::size_t i = 0; i < N; ++i) subtract_field(mine[i], its[i]);
}

template <class Field>
void multiply_field(Field& mine, double times) {
  if constexpr (std::is_integral_v<Field>)
    mine = static_cast<Field>(std::llround(static_cast<double>(mine) * times));
  else if constexpr (requires { mine *= times; })
    mine *= times;
  else if constexpr (!requires { mine.note(mine.value); })
    multiply(mine, times);
}
template <class Field, std::size_t N>
void multiply_field(std::array<Field, N>& mine, double times) {
  for (Field& field : mine) multiply_field(field, times);
}

template <class Counters, class Step>
void for_each_pair(Counters& mine, const Counters& its, Step step) {
  boost::pfr::for_each_field(mine, [&](auto& field, auto number) { step(field, boost::pfr::get<number>(its)); });
}

}  // namespace counters

/// Calls f(field) for each field, in their order.
template <class Counters, class F>
void for_each_counter(Counters& counters, F&& f) {
  boost::pfr::for_each_field(counters, f);
}

/// Adds counters: numbers add up, extremes (extremes.hpp) combine, arrays and structs of these are added by field,
/// other types by their operator +=. `Counters` is an aggregate.
template <class Counters>
void add(Counters& mine, const Counters& its) {
  counters::for_each_pair(mine, its, [](auto& field, const auto& other) { counters::add_field(field, other); });
}

/// Subtracts an earlier snapshot `its` from `mine`. Extremes stay, since they cannot be reduced to the later part.
template <class Counters>
void subtract(Counters& mine, const Counters& its) {
  counters::for_each_pair(mine, its, [](auto& field, const auto& other) { counters::subtract_field(field, other); });
}

/// Scales the counts, rounded to whole numbers, as if the same had happened `times` times. Extremes stay.
template <class Counters>
void multiply(Counters& mine, double times) {
  for_each_counter(mine, [times](auto& field) { counters::multiply_field(field, times); });
}

}  // namespace flashloom
