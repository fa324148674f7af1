#include "models/link/link_config.hpp"

#include <algorithm>
#include <array>

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const LinkConfig& link) {
  static constexpr std::array<std::uint32_t, 7> kLanes = {1, 2, 4, 8, 12, 16, 32};
  require(std::find(kLanes.begin(), kLanes.end(), link.lanes) != kLanes.end(), "link.lanes", link.lanes,
          " lanes do not exist; valid: 1, 2, 4, 8, 12, 16, 32");
  require(link.kind != "sata" || link.l0s_time == 0, "link.l0s_time",
          "is of one direction, and SATA's Partial and Slumber are of both; valid: 0 s, and link.l1_time for them");
}

}  // namespace flashloom
