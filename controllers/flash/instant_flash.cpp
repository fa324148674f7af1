#include "controllers/flash/instant_flash.hpp"

namespace flashloom {

bool InstantFlash::submit(OnfiCommand& command) {
  media_.check(command);
  for_each_of_group(command, [this](OnfiCommand& each) {
    if (ecc_ != nullptr) [[unlikely]]
      apply_and_decode(each);
    else
      media_.apply(each);
    count_flash(counters_, each, media_.geometry(), timing_);
  });
  return true;
}

void InstantFlash::apply_and_decode(OnfiCommand& command) {
  command.at = {};  // it may have been used on the timed clock
  media_.apply(command);
  if (command.operation == FlashOperation::Read) ecc_->decode(command, false);
}

}  // namespace flashloom
