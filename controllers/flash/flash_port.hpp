// How firmware reaches the flash, on either clock.
#pragma once

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

class FlashPort {
 public:
  virtual ~FlashPort() = default;

  /// Hands over a command, with those of its group (OnfiCommand::together, then), which the caller keeps alive until it
  /// is complete. True: it is complete already (the instant
  /// back end), and `completion` is not called. False: `completion` will be called, unless power is cut before.
  virtual bool submit(OnfiCommand& command) = 0;
};

}  // namespace flashloom
