// What meters reported and nobody has summed yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/power_record.hpp"

namespace flashloom {

class EnergyMeter;

/// The bookings of all meters of a ledger in the order of the calls, which is the order of the sums: figures do not
/// depend on when they are made. Whoever looks at a sum, or books around the log, settles it first.
class BookingLog {
 public:
  using Clock = PowerRecord::Clock;

  /// An interval in a state (`n` 0), or `n` operations, evenly in [from, to) or, with `from` = `to`, at once.
  struct Booking {
    Picoseconds from;
    Picoseconds to;
    EnergyMeter* meter;
    std::uint32_t which;  // state or operation
    std::uint32_t n;
  };
  /// So many are settled in one go, which is 8 KiB of them.
  static constexpr std::size_t kRoom = 256;

  BookingLog(PowerRecord& record, Clock clock)
      : bookings_(kRoom), next_(bookings_.data()), end_(next_ + kRoom), record_(record), clock_(clock) {}
  BookingLog(const BookingLog&) = delete;
  BookingLog& operator=(const BookingLog&) = delete;

  /// One that the record holds as it is.
  void add(const Booking& booking) {
    *next_ = booking;
    if (++next_ == end_) [[unlikely]]
      settle_all();
  }

  void settle() {
    if (next_ != bookings_.data()) settle_all();
  }

 private:
  void settle_all();

  std::vector<Booking> bookings_;
  Booking* next_;
  Booking* end_;
  PowerRecord& record_;
  Clock clock_;
};

}  // namespace flashloom
