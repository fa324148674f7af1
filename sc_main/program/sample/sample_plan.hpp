// Which parts of a sampled run are simulated on the timed clock.
#pragma once

#include <cstdint>
#include <limits>

namespace flashloom {

/// The run is divided into successive strata, each with one window at a random or systematic place. The run's begin, in
/// which the device is not yet in its later state, precedes the first stratum.
class SamplePlan {
 public:
  static constexpr std::uint64_t kFew = 16;    ///< windows, if they have to be long
  static constexpr std::uint64_t kUsual = 50;  ///< windows, if they may be short

  /// What the command line, the device and the run ask for.
  struct Wishes {
    std::uint64_t requests = 0;    ///< of the run
    std::uint64_t windows = 0;     ///< number of windows; 0: the plan chooses, between `few` and `usual`
    std::uint64_t few = kFew;      ///< windows, if they have to be long
    std::uint64_t usual = kUsual;  ///< windows, if they may be short
    std::uint64_t length = 0;      ///< requests of a window, its warm-up included; 0: the plan chooses
    std::uint64_t begin = 0;       ///< requests before the first stratum
    std::uint64_t longest = std::numeric_limits<std::uint64_t>::max();  ///< requests of a stratum at most
    std::uint64_t relaxation = 1;  ///< requests after which queues no longer depend on their initial state
    bool systematic = false;       ///< windows in the middle of the strata; else at random places
    std::uint64_t seed = 1;
  };

  static constexpr std::uint64_t kMostShare = 3;  ///< at most one of so many requests is simulated on the timed clock

  /// Shortest window, in requests, that loses the effect of its initial state; the run's begin is at least as long.
  static std::uint64_t shortest(std::uint64_t relaxation);

  explicit SamplePlan(const Wishes& wishes);

  /// False: more than one of kMostShare requests would be simulated on the timed clock.
  bool worth_while() const { return stratum_ != 0; }
  std::uint64_t length() const { return length_; }  ///< requests of a window
  /// Requests of a stratum that begins at request `begin`: the first strata are shorter, since transients of the run
  /// (caches that fill, blocks that wear) are fastest there.
  std::uint64_t stratum(std::uint64_t begin) const;
  /// Doubles the length of windows from now on. False: the length is fixed, or windows would be too much of the run.
  bool lengthen();
  /// Asks for `windows` in the next `requests`. Strata become no longer than first planned, and at most one request of
  /// `share` is simulated on the timed clock.
  void want(double windows, std::uint64_t requests, std::uint64_t share);
  /// The first request of the window of stratum `number` (from 0), which begins at request `begin` and has `requests`.
  std::uint64_t place(std::uint64_t number, std::uint64_t begin, std::uint64_t requests) const;
  /// The random number of a stratum.
  std::uint64_t draw(std::uint64_t number) const;

 private:
  Wishes wishes_;
  std::uint64_t length_ = 0;
  std::uint64_t stratum_ = 0;
  std::uint64_t longest_ = 0;  // stratum
};

}  // namespace flashloom
