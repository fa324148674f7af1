// Configuration and requests common to the tortures of a whole simulation.
#pragma once

#include <cstdint>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// The configuration for unlimited power cuts, aimed by the torture; `spacing`: if the file gives none. Switches verify
/// on.
DeviceConfig config_for_cuts(DeviceConfig config, std::uint64_t seed, Picoseconds spacing);

/// After each start reads the first `bytes` of the device, then makes random requests until enough cuts have struck.
class SweepingSource : public RequestSource {
 public:
  /// `simulation` and `cuts_wanted` outlive this; an interruption of the program sets `cuts_wanted` to 0.
  SweepingSource(Simulation& simulation, std::uint64_t& cuts_wanted, std::uint64_t bytes, std::uint64_t sweep_length)
      : simulation_(simulation), cuts_wanted_(cuts_wanted), bytes_(bytes), sweep_length_(sweep_length) {}

  bool next(Request& request) final;
  bool timed() const final { return false; }
  /// Begins to read everything again.
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
