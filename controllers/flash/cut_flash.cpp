#include "controllers/flash/cut_flash.hpp"

#include "models/common/split_mix.hpp"

namespace flashloom {

void CutFlash::arm(const Target& target, std::uint64_t seed) {
  target_ = target;
  synchronous_ = false;
  seed_ = seed;
  drawn_ = 0;
  number_ = 0;
}

void CutFlash::power_on() {
  cut_ = false;
  synchronous_ = flash_.synchronous();
  target_ = {};
}

bool CutFlash::submit(OnfiCommand& command) {
  if (cut_) {
    if (!struck_dies_[command.address.die.value()]) strike(command);
    return false;
  }
  ++number_;
  const bool fits = target_.count != 0 && (!target_.operation || *target_.operation == command.operation) &&
                    (!target_.origin || *target_.origin == command.origin);
  if (!fits || --target_.count != 0) return flash_.submit(command);
  cut_ = true;
  struck_ = {command.operation, command.origin, command.address, number_};
  struck_dies_.assign(media_.geometry().dies, false);
  strike(command);
  return false;
}

// A read that is struck has no effect. With the read of a copyback its program is gone, too.
void CutFlash::strike(OnfiCommand& command) {
  struck_dies_[command.address.die.value()] = true;
  if (command.operation == FlashOperation::Read) return;
  const std::uint64_t choice = split_mix(seed_, drawn_++) % 8;
  if (choice == 0) return;  // the command had not begun
  if (choice == 1)
    flash_.submit(command);  // the command was done, but its completion was not reported
  else
    media_.tear(command);
}

}  // namespace flashloom
