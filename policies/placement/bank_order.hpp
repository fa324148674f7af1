// The banks of a device in one of the 24 orders of channel, way, die and plane.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/parameters.hpp"
#include "policies/placement/placement.hpp"

namespace flashloom {

class BankOrder {
 public:
  /// The parameter that chooses the order.
  static ParameterSpec parameter(const char* help) {
    std::vector<std::string> orders = {"CWDP"};  // the default
    for (std::string order = "CDPW"; orders.size() != 24; std::next_permutation(order.begin(), order.end()))
      if (order != "CWDP") orders.push_back(order);
    return {.name = "order", .default_value = orders.front(), .choices = orders, .help = help};
  }

  /// `order` holds each of C, W, D, P once; the first varies fastest.
  BankOrder(const PlacementContext& context, std::string_view order) : banks_(context.banks()) {
    // Their counts, and the bank number increment of each.
    const std::uint32_t ways = context.channels * context.planes;
    const std::array<Dimension, 4> all = {{{'C', context.channels, context.planes},
                                           {'W', context.ways, ways},
                                           {'D', context.dies_per_way, ways * context.ways},
                                           {'P', context.planes, 1}}};
    std::uint32_t repeat = 1;
    for (const char name : order)
      for (const Dimension& dimension : all) {
        if (dimension.name != name) continue;
        for (std::uint32_t i = 0; i < size(); ++i) banks_[i] += i / repeat % dimension.count * dimension.stride;
        repeat *= dimension.count;
      }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(banks_.size()); }
  std::uint32_t operator[](std::uint32_t position) const { return banks_[position]; }
  std::uint32_t after(std::uint32_t position) const { return position + 1 == size() ? 0 : position + 1; }

  /// The first position from `begin` on, around the end, whose bank is not full; `begin` if all are.
  std::uint32_t not_full(std::uint32_t begin, const PlacementView& view) const {
    std::uint32_t position = begin;
    while (view.full(banks_[position])) {
      position = after(position);
      if (position == begin) break;
    }
    return position;
  }

  /// Round robin over the banks that are not full; `next` is the next position.
  std::uint32_t by_turn(std::uint32_t& next, const PlacementView& view) const {
    const std::uint32_t position = not_full(next, view);
    next = after(position);
    return banks_[position];
  }

  /// Position of the minimum `cost(bank)` among banks that are not full, ties by position from `begin` on;
  /// `begin` if all are full.
  template <class Cost>
  std::uint32_t least(std::uint32_t begin, const PlacementView& view, Cost&& cost) const {
    std::uint32_t best = begin;
    auto best_cost = cost(banks_[begin]);
    bool found = false;
    for (std::uint32_t i = 0, position = begin; i < size(); ++i, position = after(position)) {
      if (view.full(banks_[position])) continue;
      const auto here = cost(banks_[position]);
      if (found && here >= best_cost) continue;
      found = true;
      best = position;
      best_cost = here;
    }
    return best;
  }

 private:
  struct Dimension {
    char name;
    std::uint32_t count;
    std::uint32_t stride;
  };
  std::vector<std::uint32_t> banks_;  // by position
};

}  // namespace flashloom
