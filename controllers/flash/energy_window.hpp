// A budget of energy over every window of a given length: power averaged over the window stays below a cap.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Keeps E(t), the energy drawn in [t - window, t) by all booked operations, for all future t: a sum of ramps, kept as
/// the changes of its slope, in exact integers. Admission keeps E(t) <= cap x window for every t.
///
/// An operation is admitted with an earliest begin, and may begin later (it waits for its bus). Until begun() gives its
/// begin it is booked as *open*, which bounds E for every possible begin: its energy is drawn as early as possible, and
/// never leaves the window. admit() and earliest() are O(n), n operations in a window.
class EnergyWindow {
 public:
  struct Operation {
    std::uint64_t microwatts = 0;
    Picoseconds time = 0;
  };

  /// `microwatts` on the average of each window at most. window > 0.
  EnergyWindow(std::uint64_t microwatts, Picoseconds window);

  /// Whether an operation alone keeps to the cap.
  bool allows(const Operation& operation) const;
  /// The earliest instant, not before `from`, from which on the operation may begin at any time without breaking the
  /// cap. `from` must not lie before advance(). kNever: not before an open operation has begun.
  Picoseconds earliest(Picoseconds from, const Operation& operation) const;
  /// Books an operation that will not begin before `begin`, as allowed by earliest().
  void admit(Picoseconds begin, const Operation& operation);
  /// An operation that was admitted for `admitted` begins at `begin` >= admitted, and ends `time` later.
  void begun(Picoseconds admitted, Picoseconds begin, const Operation& operation);
  /// Books an operation that draws from `begin` on, which is known, whether or not the cap allows it.
  void book(Picoseconds begin, const Operation& operation) { book(begin, operation, 1); }
  /// Cancels a booking from `from` on.
  void take_back(Picoseconds from, const Operation& operation) { book(from, operation, -1); }
  /// Drops changes that no longer matter from `now` on.
  void advance(Picoseconds now);
  /// Energy in the window that ends at `at` >= the last advance(), in uW ps, as booked.
  __extension__ using Energy = __int128;  // W over hours in uW ps need more than 64 bits
  Energy drawn(Picoseconds at) const;
  /// Most energy in a window, of those that end by the last advance() and after the last forget_most().
  Energy most() const { return most_; }
  void forget_most() { most_ = energy_; }

 private:
  struct Change {
    Picoseconds at;
    std::int64_t slope;  // uW
  };
  void change(Picoseconds at, std::int64_t slope);
  void remove_change(Picoseconds at, std::int64_t slope);
  void book(Picoseconds begin, const Operation& operation, std::int64_t sign);
  void book_open(Picoseconds begin, const Operation& operation, bool back);

  Picoseconds window_;
  Energy budget_;
  Picoseconds base_ = 0;  // E and its slope at this instant; the changes lie after it
  Energy energy_ = 0;
  Energy most_ = 0;
  std::int64_t slope_ = 0;
  std::vector<Change> changes_;  // by time, from first_ on
  std::size_t first_ = 0;
};

}  // namespace flashloom
