// A placement view whose answers a test sets.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/placement.hpp"

namespace flashloom {

class FakePlacementView final : public PlacementView {
 public:
  explicit FakePlacementView(const PlacementContext& context)
      : is_full(context.banks()),
        is_open(context.streams, std::vector<bool>(context.banks(), true)),
        erased(context.banks()),
        loads(context.dies()) {}

  bool full(std::uint32_t bank) const override { return is_full.at(bank); }
  bool open(std::uint32_t stream, std::uint32_t bank) const override { return is_open.at(stream).at(bank); }
  std::uint64_t erases(std::uint32_t bank) const override { return erased.at(bank); }
  std::uint32_t load(std::uint32_t die) const override { return loads.at(die); }

  std::vector<bool> is_full;               ///< by bank
  std::vector<std::vector<bool>> is_open;  ///< by stream and bank
  std::vector<std::uint64_t> erased;       ///< by bank
  std::vector<std::uint32_t> loads;        ///< by die
};

}  // namespace flashloom
