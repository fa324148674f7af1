#include "sc_main/verify/sweeping_source.hpp"

#include <algorithm>

#include "workloads/interruption.hpp"

namespace flashloom {

DeviceConfig config_for_cuts(DeviceConfig config, std::uint64_t seed, Picoseconds spacing) {
  constexpr std::uint64_t kManyCuts = 1'000'000;
  config.verify = true;
  config.seed = seed;
  config.power.cut_at = 0;
  config.power.cuts = kManyCuts;
  if (config.power.cut_spacing == 0) config.power.cut_spacing = spacing;
  return config;
}

bool SweepingSource::next(Request& request) {
  if (simulation_.oracle()->mismatches() != 0) return false;
  if (swept_ < bytes_) {
    request = {.offset = swept_, .length = std::min(sweep_length_, bytes_ - swept_), .kind = RequestKind::Read};
    swept_ += request.length;
    return true;
  }
  if (interrupted()) cuts_wanted_ = 0;
  if (simulation_.power_cuts().size() >= cuts_wanted_) return false;
  draw(request);
  return true;
}

}  // namespace flashloom
