#include "controllers/flash/instant_flash.hpp"

namespace flashloom {

bool InstantFlash::submit(OnfiCommand& command) {
  media_.check(command);
  for_each_of_group(command, [this](OnfiCommand& each) {
    media_.apply(each);
    count_flash(counters_, each, media_.geometry(), timing_);
  });
  return true;
}

}  // namespace flashloom
