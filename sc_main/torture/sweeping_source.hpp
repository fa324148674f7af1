// What tortures of a whole simulation have in common: its configuration, and its requests.
#pragma once

#include <cstdint>

#include "sc_main/config/device_config.hpp"
#include "sc_main/system/simulation.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// For power cuts without end, which the torture aims; `spacing` where the file says none. Verify is switched on.
DeviceConfig config_for_cuts(DeviceConfig config, std::uint64_t seed, Picoseconds spacing);

/// Reads the first `bytes` after each start; then random requests, until so many cuts have struck as are wanted.
class SweepingSource : public RequestSource {
 public:
  /// `cuts_wanted`, like the simulation, outlives it; an interruption of the program makes it 0.
  SweepingSource(Simulation& simulation, std::uint64_t& cuts_wanted, std::uint64_t bytes, std::uint64_t sweep_length)
      : simulation_(simulation), cuts_wanted_(cuts_wanted), bytes_(bytes), sweep_length_(sweep_length) {}

  bool next(Request& request) final;
  bool timed() const final { return false; }
  /// From now on reads all of it again.
  void sweep() { swept_ = 0; }

 protected:
  virtual void draw(Request& request) = 0;
  std::uint64_t bytes() const { return bytes_; }

 private:
  Simulation& simulation_;
  std::uint64_t& cuts_wanted_;
  std::uint64_t bytes_;
  std::uint64_t sweep_length_;
  std::uint64_t swept_ = ~std::uint64_t{0};
};

}  // namespace flashloom
