#include "sc_main/attach/serve/wall_pace.hpp"

#include <fmt/format.h>

#include "sc_main/program/run/run_answers.hpp"

namespace flashloom {

nlohmann::ordered_json pace_json(const WallPace& pace) {
  return {{"dilation", pace.dilation()},
          {"answers", pace.answers()},
          {"missed", pace.missed()},
          {"missed_share", ratio(count(pace.missed()), count(pace.answers()))},
          {"tolerance_s", static_cast<double>(WallPace::kTolerance) / 1e9},
          {"worst_s", static_cast<double>(pace.worst()) / 1e9}};
}

std::string pace_note(const WallPace& pace) {
  return fmt::format(
      "  pace   {} s of a simulated second: {} of {} answers missed their time ({:.2f} %), {:.3f} ms late "
      "at most\n",
      pace.dilation(), pace.missed(), pace.answers(), 100 * ratio(count(pace.missed()), count(pace.answers())),
      static_cast<double>(pace.worst()) / 1e6);
}

}  // namespace flashloom
