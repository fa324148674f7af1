// The steady state of random overwrites, drawn instead of simulated: a sequence of host writes that leaves on each erase
// unit as many valid units as theory says that greedy garbage collection leaves there.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/permutation.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Valid units of the closed erase units under greedy garbage collection and uniformly random overwrites, in the limit of
/// many erase units: as many of them leave each level of validity as reach it, so that x / i of them have i valid units,
/// down to the victims' level (P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012; B. Van Houdt,
/// SIGMETRICS 2013). Where the balance lies between two levels, a share of the victims is of the upper one.
class GreedySteady {
 public:
  /// `units`: valid ones of an erase unit when it is closed, a mean. `valid`: the mean of all closed ones, in (0, units).
  GreedySteady(double units, double valid);

  /// Mean valid units of the share `share` (0 ... 1) of the erase units that have the fewest, times `share`.
  double valid_below(double share) const;

 private:
  struct Level {
    double share;        // of the erase units that are at this level or below
    double valid_below;  // their valid units, a mean over all erase units
    std::uint32_t valid;
  };

  std::vector<Level> levels_;  // ascending
};

/// Writes of single mapping units that fill these erase units of a new device, the oldest with the fewest valid units. What
/// is valid in the end is told from the end: the last write of each unit takes the next unit of a random order, any other
/// write one of those that are still to be written. In constant memory.
class DrawnSteadySource final : public RequestSource {
 public:
  /// The device: writes go by turn round its banks, a program unit at a time.
  struct Options {
    std::uint32_t banks = 1;
    std::uint32_t blocks = 1;             ///< erase units of a bank
    std::uint32_t units_per_block = 1;    ///< mapping units of an erase unit
    std::uint32_t units_per_program = 1;  ///< of a program unit; divides units_per_block
    std::uint64_t units = 0;              ///< logical units from 0 on, each of which is written; they must fit()
    std::uint64_t unit_bytes = 4096;
    std::uint64_t seed = 1;

    /// Mean valid units of an erase unit when it is closed: copies leave on average half a program unit, less half a
    /// mapping unit, of each victim's last one to padding.
    double closed() const { return units_per_block - (units_per_program - 1) / 2.0; }
    /// Whether there is room for the units, and for some more.
    bool fit() const { return units != 0 && static_cast<double>(units) < closed() * banks * blocks; }
  };

  /// Throws std::invalid_argument if the units do not fit.
  explicit DrawnSteadySource(const Options& options);

  bool next(Request& request) override;
  std::uint64_t expected_requests() const override {
    return std::uint64_t{options_.banks} * options_.blocks * options_.units_per_block;
  }

 private:
  struct Block {
    std::uint32_t slots;  // of its units, those still to be written
    std::uint32_t valid;  // of these, those that stay valid
  };

  void begin_row();

  Options options_;
  GreedySteady steady_;
  RandomPermutation order_;
  Random random_;
  std::vector<Block> row_;   // of each bank, the erase unit being written
  std::uint64_t begun_ = 0;  // erase units, all banks'
  std::uint64_t told_ = 0;   // valid units of these
  std::uint64_t left_;       // last writes still to come
  std::uint32_t bank_ = 0;
  std::uint32_t in_program_ = 0;
};

}  // namespace flashloom
