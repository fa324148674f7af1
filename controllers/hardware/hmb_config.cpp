#include "controllers/hardware/hmb_config.hpp"

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const HmbConfig& hmb, std::uint32_t page) {
  require(hmb.on() || (hmb.revoke_at == 0 && hmb.lost_at == 0 && hmb.return_at == 0), "hmb.size",
          "is 0 B, and a buffer that is not there is neither taken back nor lost; valid: above 0 B, or hmb.revoke_at, "
          "hmb.lost_at and hmb.return_at 0 s");
  if (!hmb.on()) return;
  require(hmb.size >= page, "hmb.size", MessageBytes{hmb.size}, " does not hold a translation page, ",
          MessageBytes{page}, "; valid: at least that, or 0 B");
  require(hmb.minimum <= hmb.size, "hmb.minimum", MessageBytes{hmb.minimum}, " is more than hmb.size, ",
          MessageBytes{hmb.size}, ", which the drive prefers; valid: at most that");
  require(hmb.revoke_at == 0 || hmb.lost_at == 0, "hmb.lost_at",
          "the host either asks for its memory (hmb.revoke_at) or does not; valid: one of them 0 s");
  const Picoseconds gone = hmb.revoke_at + hmb.lost_at;
  require(hmb.return_at == 0 || (gone != 0 && hmb.return_at > gone), "hmb.return_at", MessageTime{hmb.return_at},
          " is not behind hmb.revoke_at or hmb.lost_at, ", MessageTime{gone}, "; valid: 0 s, or more than that");
  require(hmb.lost_at == 0 || !hmb.writes_back(), "hmb.lost_at",
          "loses changed entries that no translation page has, with hmb.map_update \"write_back\"; valid: 0 s, or "
          "\"write_through\"");
}

}  // namespace flashloom
