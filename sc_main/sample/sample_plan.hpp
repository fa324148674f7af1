// Which parts of a run are simulated in time, where only a sample of it is.
#pragma once

#include <cstdint>
#include <limits>

namespace flashloom {

/// The run is cut into strata one behind the other; one window lies in each, at a place drawn for it. Before the first
/// one comes the run's begin: there the device is not in the state that it comes to later.
class SamplePlan {
 public:
  static constexpr std::uint64_t kFew = 16;    ///< windows, where they have to be long
  static constexpr std::uint64_t kUsual = 50;  ///< where they may be short

  /// Of what the command line leaves open, what fits the device and the run.
  struct Wishes {
    std::uint64_t requests = 0;    ///< of the run
    std::uint64_t windows = 0;     ///< 0: as many as make sense, `few` at least
    std::uint64_t few = kFew;      ///< where windows have to be long
    std::uint64_t usual = kUsual;  ///< where they may be short
    std::uint64_t length = 0;      ///< requests of a window, those included that come before it is steady; 0: the same
    std::uint64_t begin = 0;       ///< requests before the first stratum
    std::uint64_t longest = std::numeric_limits<std::uint64_t>::max();  ///< requests of a stratum at most
    std::uint64_t relaxation = 1;  ///< requests after which queues should have forgotten their begin
    bool systematic = false;       ///< windows in the middle of the strata; else at random places
    std::uint64_t seed = 1;
  };

  static constexpr std::uint64_t kMostShare = 3;  ///< more than one request of so many in time is not worth it

  /// Requests of a window at least, for it to forget its begin: as many as the run's begin has.
  static std::uint64_t shortest(std::uint64_t relaxation);

  explicit SamplePlan(const Wishes& wishes);

  /// False: most of the run would be simulated in time anyway.
  bool worth_while() const { return stratum_ != 0; }
  std::uint64_t length() const { return length_; }  ///< requests of a window
  /// Requests of a stratum that begins at `begin`: the first ones are shorter, since what changes with the run (caches
  /// that fill, blocks that wear) changes fastest there.
  std::uint64_t stratum(std::uint64_t begin) const;
  /// Windows were too short to settle: those from now on are twice as long. False: that would be too much of the run.
  bool lengthen();
  /// So many windows are wanted in the next so many requests: not fewer than planned, and not more than one request of
  /// `share` is simulated in time.
  void want(double windows, std::uint64_t requests, std::uint64_t share);
  /// The first request of the window of a stratum that begins at `begin` and has so many requests. Strata are counted
  /// from 0.
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
