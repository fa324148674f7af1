#include "controllers/flash/instant_flash.hpp"

namespace flashloom {

bool InstantFlash::submit(OnfiCommand& command) {
  media_.apply(command);
  count_flash(counters_, command, media_.geometry(), timing_);
  return true;
}

}  // namespace flashloom
