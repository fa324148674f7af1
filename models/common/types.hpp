// Strong index types and time units. An index of one kind never converts to another: using a block number for a
// page does not compile.
#pragma once

#include <compare>
#include <cstdint>

namespace flashloom {

/// Simulated time in picoseconds, the kernel's tick (IEEE 1666 default resolution); wraps after 213 days.
using Picoseconds = std::uint64_t;
inline constexpr Picoseconds kPicosecond = 1;
inline constexpr Picoseconds kNanosecond = 1'000;
inline constexpr Picoseconds kMicrosecond = 1'000'000;
inline constexpr Picoseconds kMillisecond = 1'000'000'000;
inline constexpr Picoseconds kSecond = 1'000'000'000'000;
inline constexpr Picoseconds kNever = ~Picoseconds{0};

/// For reports.
constexpr double seconds(Picoseconds time) { return static_cast<double>(time) / static_cast<double>(kSecond); }
constexpr double microseconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kMicrosecond);
}
constexpr double nanoseconds(Picoseconds time) { return static_cast<double>(time) / static_cast<double>(kNanosecond); }

/// For computing joules: a product, which differs from seconds() in the last bit.
constexpr double in_seconds(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

/// Time to move `amount` things at `rate` things per second, rounded up to the next tick; 0 for an unlimited rate (0).
constexpr Picoseconds transfer_time(std::uint64_t amount, std::uint64_t rate) {
  if (rate == 0) return 0;
  // A wide division costs many times a plain one, and is rarely needed.
  if (amount <= (kNever - rate) / kSecond) return (amount * kSecond + rate - 1) / rate;
  __extension__ using Wide = unsigned __int128;  // not ISO C++, but GCC and Clang have it
  const auto product = static_cast<Wide>(amount) * kSecond;
  return static_cast<Picoseconds>((product + rate - 1) / rate);
}

template <class Tag>
class Index {
 public:
  using value_type = std::uint32_t;
  constexpr Index() = default;
  explicit constexpr Index(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr auto operator<=>(Index, Index) = default;

 private:
  std::uint32_t value_ = 0;
};

using Channel = Index<struct ChannelTag>;  ///< channel of the device
using Way = Index<struct WayTag>;          ///< chip enable (package) on a channel
using Die = Index<struct DieTag>;          ///< die (LUN) of the whole device, 0 ... dies-1
using Plane = Index<struct PlaneTag>;      ///< plane of a die
using Block = Index<struct BlockTag>;      ///< erase unit of a die (see NandGeometry)
using Page = Index<struct PageTag>;        ///< page of an erase unit, in programming order

}  // namespace flashloom
